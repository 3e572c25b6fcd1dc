//! The contract: what every store must do, whatever engine is beneath it. An
//! engine signs it with `sign!` and its opener; a promise that is missing in the
//! table below is dead code, which the compiler reports.

pub mod leases;
pub mod listing;
pub mod logs;
pub mod outcomes;
pub mod people;
pub mod search;
pub mod spending;

/// Makes one test of every promise for the engine that `$opener` opens, where `$here` holds.
#[macro_export]
macro_rules! sign {
    ($engine:ident, $opener:path, $here:expr) => {
        $crate::sign! { @promises $engine, $opener, $here;
            logs:
                what_was_appended_is_read_back_in_order_and_to_the_last_bit,
                a_debate_survives_closing_and_opening,
                of_two_who_append_after_the_same_entry_one_is_told_what_it_missed,
                an_id_is_given_once,
                a_log_must_open_its_debate,
                what_could_not_be_read_again_is_not_written,
                a_hundred_who_append_at_once_share_commits_and_lose_nothing,
                deleting_takes_the_whole_debate_unless_it_runs;
            leases:
                one_at_a_time_may_run_a_debate,
                one_read_tells_what_must_be_known_before_a_run,
                an_append_takes_the_lease_and_another_gives_it_back,
                an_append_takes_no_lease_that_another_task_of_its_process_holds,
                an_append_that_takes_a_lease_is_refused_whole_where_another_was_faster,
                of_many_who_claim_at_once_one_gets_it,
                of_many_who_seize_a_dead_lease_at_once_one_gets_it,
                active_debates_are_listed_with_their_leases,
                commands_wait_until_they_are_obeyed_and_are_obeyed_once;
            listing:
                the_listing_follows_the_log,
                a_thousand_debates_are_listed_filtered_searched_and_paged,
                a_debate_is_found_by_the_beginning_of_its_id,
                debates_are_listed_by_agent_topic_and_time,
                debates_are_listed_by_domain,
                a_debate_that_comes_after_another_is_found_from_both;
            spending:
                a_call_is_set_aside_for_then_charged_what_it_came_to,
                tokens_from_a_cache_are_counted_by_day_model_and_debate,
                what_is_abandoned_stays_in_the_books_as_possibly_billed,
                a_failure_that_is_never_billed_frees_what_was_set_aside_and_others_do_not,
                a_call_that_would_pass_a_limit_is_refused_and_leaves_nothing,
                an_unknown_price_is_refused_under_a_limit_unless_it_is_allowed,
                a_further_request_extends_what_is_held_within_the_limit,
                a_run_under_way_sees_what_others_spent_since,
                deleting_a_debate_gives_no_money_back,
                a_hundred_who_ask_at_once_never_pass_the_limit;
            outcomes:
                records_are_added_in_order_and_read_again,
                all_of_it_or_none;
            people:
                people_are_kept_with_roles_budgets_and_tokens,
                a_handle_knows_only_the_debates_that_it_reaches,
                the_budget_of_a_person_holds_for_the_day_and_the_month,
                a_hundred_debates_of_one_person_never_pass_the_budget;
            search:
                a_debate_is_found_by_the_words_of_its_answers,
                answers_that_come_later_are_found_and_deleted_ones_are_not,
                words_are_found_whether_they_are_indexed_yet_or_not,
                a_sound_file_is_found_sound_however_often_it_is_looked_at,
                a_log_comes_back_to_the_last_bit_or_not_at_all,
                an_answer_is_stored_once_and_its_raw_text_comes_back;
        }
    };
    (@promises $engine:ident, $opener:path, $here:expr; $($file:ident: $($promise:ident),+;)+) => {
        mod $engine {
            $(mod $file {
                $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $promise() {
                    if !$here {
                        return;
                    }
                    let scene = $crate::scene::Scene::open($opener).await;
                    $crate::promises::$file::$promise(scene).await;
                })+
            })+
        }
    };
}
