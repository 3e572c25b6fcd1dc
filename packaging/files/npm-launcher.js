#!/usr/bin/env node
// Starts the program of this platform, which an optional dependency holds, and hands over its
// input, output, signals and exit code.
"use strict";
const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "roundtable.exe" : "roundtable";
let program;
try {
  program = require.resolve(`roundtable-debate-${platform}/${file}`);
} catch {
  console.error(
    `roundtable: there is no package for ${platform}, or npm left it out (--omit=optional does). ` +
      "Install again without that flag, or build it from source; the README says how.",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`roundtable: the program could not be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
