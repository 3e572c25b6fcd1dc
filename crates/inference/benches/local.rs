//! How fast the model in the process is: loading, reading, writing, memory, for
//! one seat and for three that share weights and the beginning of their prompts.
//! Wants `ROUNDTABLE_LOCAL_WEIGHTS`. Processor seconds are counted besides those
//! on the wall, so that a busy machine does not spoil the figures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use inference::{Crew, Gguf, LocalWriter, TokenUsage, WritingEnd, WritingOrder};
use serde_json::{Value, json};

const SYSTEM: &str = "You sit at a table where several speakers debate one question. ";
const TEXT: &str = "The shop sells tea in four countries and earns most of its money in winter. ";

fn main() {
    let Some(path) = std::env::var_os("ROUNDTABLE_LOCAL_WEIGHTS").map(PathBuf::from) else {
        println!("ROUNDTABLE_LOCAL_WEIGHTS is not set: nothing is measured");
        return;
    };
    let clock = Clock::start();
    let crew = Crew::of_this_machine();
    let mut writer = LocalWriter::read(Gguf::open(&path).unwrap(), crew).unwrap();
    println!("load     {clock} with {} thread(s), {} MB", writer.threads(), memory());
    let short = json!({"type": "object", "properties": {"vote": {"enum": ["yes", "no"]}},
        "required": ["vote"], "additionalProperties": false});
    let long = json!({"type": "object", "properties": {"text": {"type": "string", "minLength": 900,
        "maxLength": 900}}, "required": ["text"], "additionalProperties": false});
    for tokens in [1, 25, 80] {
        let message = format!("Text {tokens}. {}", TEXT.repeat(tokens));
        let clock = Clock::start();
        let count = write(&mut writer, &message, &short);
        let read = count.prompt - count.remembered + count.written;
        println!("read     {read:>5} tokens: {}", clock.rate(read));
        let clock = Clock::start();
        let count = write(&mut writer, &message, &long);
        println!("write    {:>5} tokens: {}", count.written, clock.rate(count.written));
    }
    for seats in [1, 3] {
        let mut writer =
            LocalWriter::read(Gguf::open(&path).unwrap(), Crew::of_this_machine()).unwrap();
        let clock = Clock::start();
        let mut all = TokenUsage::default();
        for seat in 0..seats {
            let message = format!("{}You are speaker {seat}.", TEXT.repeat(40));
            let count = write(&mut writer, &message, &long);
            all.prompt += count.prompt;
            all.remembered += count.remembered;
            all.written += count.written;
        }
        println!(
            "{seats} seat(s) {} prompt tokens, {} of them remembered, {} written: {}, {} MB",
            all.prompt,
            all.remembered,
            all.written,
            clock,
            memory()
        );
    }
}

fn write(writer: &mut LocalWriter, message: &str, schema: &Value) -> TokenUsage {
    let order = WritingOrder {
        system: SYSTEM,
        message,
        schema,
        most_tokens: 600,
        temperature: 0.5,
        seed: 7,
        deadline: Instant::now() + Duration::from_secs(600),
    };
    let (end, count) = writer.write(&order, &|| false, &mut |_| {});
    assert!(matches!(end, WritingEnd::Whole(_) | WritingEnd::CutOff), "{end:?}");
    count
}

struct Clock {
    wall: Instant,
    processor: f64,
}

impl Clock {
    fn start() -> Clock {
        Clock { wall: Instant::now(), processor: processor() }
    }

    fn rate(&self, tokens: usize) -> String {
        let spent = (processor() - self.processor).max(0.01);
        format!("{self}, {:.0} per processor second", tokens as f64 / spent)
    }
}

impl std::fmt::Display for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (wall, processor) = (self.wall.elapsed().as_secs_f64(), processor() - self.processor);
        write!(f, "{wall:.2} s, {processor:.2} s of processor")
    }
}

/// Processor seconds of this process so far; Linux counts them in hundredths.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks =
        fields.split_whitespace().skip(11).take(2).filter_map(|tick| tick.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// The most memory this process ever held, in MB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}
