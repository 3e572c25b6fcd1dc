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

/// The same, by trying every length.
fn period_by_trying(bytes: &[u8]) -> Option<usize> {
    (1..=LONGEST).find(|period| {
        let length = REPEATED.max(TIMES * period);
        let Some(from) = bytes.len().checked_sub(length) else { return false };
        let tail = &bytes[from..];
        let says = tail.iter().take(*period).any(u8::is_ascii_alphanumeric)
            || tail.iter().any(|byte| !byte.is_ascii());
        let repeats = tail.iter().zip(tail.iter().skip(*period)).all(|(one, other)| one == other);
        repeats && (says || *period > 1)
    })
}

proptest::proptest! {
    #[test]
    fn looking_only_where_the_last_byte_stands_finds_the_same(
        start in "[a-c ]{0,40}",
        piece in "[ab\n-]{1,9}|[a-c é]{200,260}|-",
        times in 0usize..700,
        end in "[ab-]{0,3}",
    ) {
        let text = format!("{start}{}{end}", piece.repeat(times.min(3_000 / piece.len())));
        let bytes = text.as_bytes();
        for cut in 0..=bytes.len().min(4) {
            let bytes = &bytes[..bytes.len() - cut];
            proptest::prop_assert_eq!(period(bytes), period_by_trying(bytes));
        }
    }
}
