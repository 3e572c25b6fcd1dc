//! What the static embedder is worth, measured: against people's judgements
//! where the data lies beside the repository, and against statements that
//! sound alike and say the opposite. Run with `--nocapture` to see the figures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use agents::embed::{
    Embedder, JudgedPair, StaticEmbedder, TextVector, auroc, cosines, csv_rows, fit, judged_pairs,
    mean, own_pairs, spearman,
};
use futures::FutureExt;

/// The result of a future that never has to wait.
fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing to wait for")
}

/// The judged pairs of a split of STS-B, which is not part of the repository.
fn stsb(split: &str) -> Option<Vec<JudgedPair>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = format!("shared/data/stsb/stsb-en-{split}.csv");
    // Beside the repository, or beside the folder of its worktrees.
    let found =
        ["..", "../.."].iter().find_map(|up| fs::read_to_string(root.join(up).join(&file)).ok());
    if found.is_none() {
        proof::not_part_of_it(&format!("{file} is not there: nothing was measured on it"));
    }
    found.map(|csv| judged_pairs(&csv).expect("STS-B is readable"))
}

struct Measured {
    cosines: Vec<f64>,
    judged: Vec<f64>,
    read: Vec<f64>,
}

impl Measured {
    fn of(pairs: &[JudgedPair]) -> Measured {
        let embedder = StaticEmbedder::new();
        let cosines = now(cosines(&embedder, pairs)).expect("every text has a vector");
        let read = cosines.iter().map(|&cosine| embedder.calibration().read(cosine)).collect();
        Measured { cosines, judged: pairs.iter().map(|pair| pair.similarity).collect(), read }
    }

    fn spearman(&self) -> f64 {
        spearman(&self.cosines, &self.judged).unwrap()
    }

    /// What pairs of a judgement read on average.
    fn mean_where(&self, chosen: impl Fn(f64) -> bool) -> f64 {
        let of = self.judged.iter().zip(&self.read);
        let read: Vec<f64> = of.filter(|(judged, _)| chosen(**judged)).map(|(_, r)| *r).collect();
        mean(&read).unwrap()
    }

    fn print(&self, name: &str) {
        println!(
            "{name}: {} pairs, Spearman {:.4}; judged >= 4.5 reads {:.3}, judged <= 0.5 reads {:.3}",
            self.judged.len(),
            self.spearman(),
            self.mean_where(|judged| judged >= 0.9),
            self.mean_where(|judged| judged <= 0.1),
        );
    }
}

#[test]
fn similarity_ranks_as_people_do_and_lands_in_the_right_bands() {
    let Some(pairs) = stsb("test") else { return };
    let start = Instant::now();
    let measured = Measured::of(&pairs);
    println!("{} texts in {:?} (with the opening)", pairs.len() * 2, start.elapsed());
    measured.print("STS-B test");
    assert!((measured.spearman() - 0.755).abs() < 0.002, "{}", measured.spearman());
    assert!(measured.mean_where(|judged| judged >= 0.9) >= 0.8);
    assert!(measured.mean_where(|judged| judged <= 0.1) <= 0.25);
}

#[test]
fn the_shipped_calibration_is_the_one_the_training_split_gives() {
    let Some(pairs) = stsb("train") else { return };
    let measured = Measured::of(&pairs);
    measured.print("STS-B train");
    let figures: Vec<(f64, f64)> =
        measured.cosines.iter().copied().zip(measured.judged.iter().copied()).collect();
    let fitted = fit(&figures).unwrap();
    println!("{}", fitted.sentence());
    let embedder = StaticEmbedder::new();
    let shipped = embedder.calibration();
    assert_eq!(fitted.knots().len(), shipped.knots().len());
    for (fresh, kept) in fitted.knots().iter().zip(shipped.knots()) {
        assert!((fresh.cosine - kept.cosine).abs() < 0.002, "{fresh:?} {kept:?}");
        assert!((fresh.similarity - kept.similarity).abs() < 0.002, "{fresh:?} {kept:?}");
    }
}

/// The program's own pairs were chosen to give this embedder the scale that
/// STS-B gives it, so that an embedder calibrated on them can be compared with
/// it. For that reason they prove nothing about how good the embedder is.
#[test]
fn the_programs_own_pairs_give_nearly_the_scale_that_stsb_gives() {
    let measured = Measured::of(&own_pairs().unwrap());
    measured.print("own pairs (chosen to fit)");
    let figures: Vec<(f64, f64)> =
        measured.cosines.iter().copied().zip(measured.judged.iter().copied()).collect();
    let own = fit(&figures).unwrap();
    let embedder = StaticEmbedder::new();
    let shipped = embedder.calibration();
    let furthest = (0..=100)
        .map(|step| f64::from(step) / 100.0)
        .map(|cosine| (own.read(cosine) - shipped.read(cosine)).abs())
        .fold(0.0, f64::max);
    println!("the two scales differ by at most {furthest:.3}");
    assert!(furthest < 0.15, "{furthest}");
}

/// A limit, stated: statements that mean the same in quite other words read far
/// below consensus. These pairs were written before anything was measured.
#[test]
fn paraphrases_in_other_words_read_too_low() {
    let pairs = judged_pairs(include_str!("data/loose_paraphrases.csv")).unwrap();
    let measured = Measured::of(&pairs);
    let read = mean(&measured.read).unwrap();
    println!("{} paraphrases in other words read {read:.3} on average", pairs.len());
    assert!((0.45..0.8).contains(&read), "the limit has moved: {read}");
    let lowest = measured.read.iter().copied().fold(1.0, f64::min);
    assert!(lowest > 0.25, "none may pass for unrelated: {lowest}");
}

#[test]
fn similarity_is_symmetrical_and_whole_for_equal_texts() {
    let embedder = StaticEmbedder::new();
    let scale = embedder.calibration();
    for pair in own_pairs().unwrap() {
        let texts = [pair.a.clone(), pair.b.clone()];
        let vectors = now(embedder.embed(&texts)).unwrap();
        let again = now(embedder.embed(&texts)).unwrap();
        assert_eq!(vectors, again);
        let [a, b] = vectors.as_slice() else { panic!("two vectors") };
        assert_eq!(scale.similarity(a, b), scale.similarity(b, a), "{}", pair.a);
        assert_eq!(scale.similarity(a, a), Some(1.0), "{}", pair.a);
    }
}

/// The first numbers of a vector, to the bit: the same on every run, and on
/// every machine, since nothing but sums, products and one root is taken.
#[test]
fn a_vector_is_the_same_on_every_run() {
    let text = "The same text has the same vector.";
    let TextVector::Placed(vector) = StaticEmbedder::new().vector(text).unwrap() else {
        panic!("it has no vector");
    };
    let bits: Vec<u32> = vector.iter().take(4).map(|value| value.to_bits()).collect();
    assert_eq!(bits, [3_189_544_576, 1_032_702_729, 1_032_918_466, 3_185_263_821]);
}

/// Kinds of hard pairs that say the opposite, or something else, in nearly the
/// same words.
const OPPOSITE: [&str; 4] = ["negation", "role_swap", "number", "time"];

#[test]
fn cosine_does_not_tell_agreement_from_contradiction() {
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../debate/tests/data/hard_pairs.csv");
    let csv = fs::read_to_string(&file).expect("hard pairs are part of the repository");
    let mut rows = csv_rows(&csv).unwrap().into_iter();
    let heading = rows.next().expect("a heading");
    let column = |names: &[&str]| {
        heading
            .iter()
            .position(|name| names.contains(&name.trim()))
            .unwrap_or_else(|| panic!("a column named one of {names:?} in {heading:?}"))
    };
    let (kind, a, b) =
        (column(&["kind", "category"]), column(&["a", "first"]), column(&["b", "second"]));
    let (kinds, pairs): (Vec<String>, Vec<JudgedPair>) = rows
        .map(|row| {
            let pair = JudgedPair { a: row[a].clone(), b: row[b].clone(), similarity: 0.0 };
            (row[kind].trim().to_lowercase(), pair)
        })
        .unzip();
    let cosines = now(cosines(&StaticEmbedder::new(), &pairs)).unwrap();
    let of = |wanted: &[&str]| -> Vec<f64> {
        let all = kinds.iter().zip(&cosines);
        all.filter(|(kind, _)| wanted.contains(&kind.as_str())).map(|(_, c)| *c).collect()
    };
    let paraphrases = of(&["paraphrase"]);
    for wanted in OPPOSITE.iter().map(std::slice::from_ref).chain([OPPOSITE.as_slice()]) {
        let opposite = of(wanted);
        println!(
            "paraphrase (n={}) against {wanted:?} (n={}): AUROC {:?}",
            paraphrases.len(),
            opposite.len(),
            auroc(&paraphrases, &opposite),
        );
    }
    let separated = auroc(&paraphrases, &of(&OPPOSITE)).expect("both kinds are there");
    assert!(separated < 0.8, "cosine tells them apart ({separated}): the rule can be relaxed");
}
