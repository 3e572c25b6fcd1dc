//! Silence, and text that goes round in circles.
#![allow(clippy::unwrap_used)]
use super::*;

fn cut(text: &str) -> Option<String> {
    let mut watch = RunawayWatch::default();
    text.chars().find_map(|letter| watch.push(&letter.to_string()))
}

#[test]
fn a_line_again_and_again_is_cut() {
    let start = "We add the eggs.\n".to_owned() + &"First steps that differ. ".repeat(2);
    let text = format!("{start}{}", "So the total is 96.\n".repeat(200));
    let kept = cut(&text).unwrap();
    assert!(kept.len() < 200, "{kept}");
    assert!(kept.ends_with("So the total is 96.\nSo the total is 96.\n"), "{kept}");
    assert!(cut(&"ha ".repeat(2_000)).is_some());
    assert!(cut(&"é".repeat(2_000)).is_some());
}

#[test]
fn a_table_and_a_proof_are_not() {
    let table: String = (0..200).map(|row| format!("| {row} | {} |\n", row * 7)).collect();
    assert_eq!(cut(&table), None);
    let list: String = (0..200).map(|row| format!("Step {row}: add {row} to it.\n")).collect();
    assert_eq!(cut(&list), None);
}

#[tokio::test(start_paused = true)]
async fn words_prolong_the_wait_up_to_the_end() {
    let patience = Patience::new(Duration::from_secs(2));
    let started = Instant::now();
    let talk = async {
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            patience.heard();
        }
    };
    tokio::select! {
        () = patience.run_out() => {}
        () = talk => unreachable!("the end comes first"),
    }
    assert_eq!(started.elapsed().as_secs(), 20);
}
