-- The end of a lease on the clock that counts since the machine started, in
-- milliseconds. Processes of one machine go by it, so that a step of the wall clock
-- ends no lease.
ALTER TABLE runs ADD COLUMN boot_until BIGINT;
