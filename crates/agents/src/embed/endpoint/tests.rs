//! Embeddings from a compatible server: the request, and answers that do not fit.

use std::sync::Mutex;

use debate::model::{Bill, Failure, FailureClass};
use futures::future::ready;

use super::super::tests::now;
use super::*;

/// Answers with what it was given, in order, and keeps what it was asked.
struct Answers {
    answers: Mutex<Vec<Result<Value, Failure>>>,
    asked: Mutex<Vec<(String, Value, bool)>>,
}

impl Answers {
    fn new(mut answers: Vec<Result<Value, Failure>>) -> Arc<Answers> {
        answers.reverse();
        Arc::new(Answers { answers: Mutex::new(answers), asked: Mutex::default() })
    }
}

impl JsonPost for Answers {
    fn post<'a>(&'a self, posting: JsonRequest<'a>) -> BoxFuture<'a, Result<Value, Failure>> {
        let asked = (posting.url.to_owned(), posting.body, posting.key.is_some());
        self.asked.lock().unwrap().push(asked);
        ready(self.answers.lock().unwrap().pop().unwrap()).boxed()
    }
}

fn embedder(post: Arc<Answers>) -> HttpEmbedder {
    let endpoint = Endpoint {
        base_url: "http://localhost:8080/v1/".into(),
        model: "some-model".into(),
        key: Some("not-to-be-shown".into()),
        timeout: Duration::from_secs(10),
    };
    HttpEmbedder::new(endpoint, post)
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn the_request_is_the_one_every_compatible_server_knows() {
    let post = Answers::new(vec![Ok(json!({"data": [{"index": 0, "embedding": [1.0, 0.0]}]}))]);
    let asker = embedder(post.clone());
    let vectors = now(asker.embed(&texts(&["one"]))).unwrap();
    assert_eq!(vectors, [[1.0, 0.0]]);
    let asked = post.asked.lock().unwrap();
    let expected = json!({"model": "some-model", "input": ["one"]});
    assert_eq!(*asked, [("http://localhost:8080/v1/embeddings".to_owned(), expected, true)]);
}

#[test]
fn vectors_are_put_in_the_order_of_the_texts() {
    let shuffled = json!({"data": [
        {"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}
    ]});
    assert_eq!(read(&shuffled, 2).unwrap(), [[1.0], [2.0]]);
    let unnumbered = json!({"data": [{"embedding": [1]}, {"embedding": [2]}]});
    assert_eq!(read(&unnumbered, 2).unwrap(), [[1.0], [2.0]]);
}

#[test]
fn an_answer_that_is_not_one_vector_per_text_is_refused() {
    let cases = [
        json!({"error": {"message": "no"}}),
        json!({"data": []}),
        json!({"data": [{"embedding": [1]}]}),
        json!({"data": [{"embedding": [1]}, {"embedding": [1]}, {"embedding": [1]}]}),
        json!({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}),
        json!({"data": [{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [1]}]}),
        json!({"data": [{"index": 0, "embedding": [1]}, {"index": u64::MAX, "embedding": [1]}]}),
        json!({"data": [{"index": "0", "embedding": [1]}, {"embedding": [1]}]}),
        json!({"data": [{"embedding": [1]}, {"embedding": [null]}]}),
        json!({"data": [{"embedding": [1]}, {"embedding": [1e300]}]}),
        json!({"data": [{"embedding": [1]}, {"embedding": "AACAPw=="}]}),
        json!({"data": [{"embedding": [1]}, {"embedding": []}]}),
        json!({"data": [{"embedding": [1]}, {"embedding": [0.0]}]}),
    ];
    for case in cases {
        assert!(read(&case, 2).is_err(), "{case}");
    }
}

#[test]
fn lengths_must_agree_within_an_answer_and_with_every_answer_before() {
    let uneven = json!({"data": [{"embedding": [1, 2]}, {"embedding": [1, 2, 3]}]});
    let three = json!({"data": [{"embedding": [1, 2, 3]}]});
    let four = json!({"data": [{"embedding": [1, 2, 3, 4]}]});
    let asker = embedder(Answers::new(vec![Ok(uneven), Ok(three.clone()), Ok(four), Ok(three)]));
    let one = texts(&["x"]);
    let wrong =
        |expected, got| Err(EmbedError::Dimension { embedder: "some-model".into(), expected, got });
    assert_eq!(now(asker.embed(&texts(&["x", "y"]))), wrong(2, 3));
    assert!(now(asker.embed(&one)).is_ok());
    assert_eq!(now(asker.embed(&one)), wrong(3, 4));
    assert!(now(asker.embed(&one)).is_ok());
}

#[test]
fn many_texts_go_out_in_batches_and_come_back_in_order() {
    let count = BATCH + 2;
    let answer = |from: usize, to: usize| {
        let data: Vec<Value> = (from..to).map(|at| json!({"embedding": [at + 1]})).collect();
        Ok(json!({ "data": data }))
    };
    let post = Answers::new(vec![answer(0, BATCH), answer(BATCH, count)]);
    let many: Vec<String> = (0..count).map(|at| format!("text {at}")).collect();
    let vectors = now(embedder(post.clone()).embed(&many)).unwrap();
    assert_eq!(vectors.len(), count);
    assert_eq!(vectors.last().unwrap(), &[count as f32]);
    assert_eq!(post.asked.lock().unwrap().len(), 2);
}

#[test]
fn an_empty_text_is_never_sent() {
    let post = Answers::new(vec![]);
    let error = now(embedder(post.clone()).embed(&texts(&["x", " \n"]))).unwrap_err();
    assert_eq!(error, EmbedError::NoVector { number: 2, why: NoVector::Empty });
    assert!(post.asked.lock().unwrap().is_empty());
}

#[test]
fn a_failure_is_passed_on_in_words_and_without_the_key() {
    let failure = Failure {
        class: FailureClass::Unauthorised,
        message: "the key was refused; set another".into(),
        tries: 1,
        bill: Bill::default(),
    };
    let asker = embedder(Answers::new(vec![Err(failure)]));
    let error = now(asker.embed(&texts(&["x"]))).unwrap_err();
    assert_eq!(error.to_string(), "some-model gave no vectors: the key was refused; set another");
    assert!(!format!("{:?}", asker.endpoint).contains("not-to-be-shown"));
}

#[test]
fn an_embedder_nobody_measured_says_so_until_it_is_calibrated() {
    let asker = embedder(Answers::new(vec![]));
    assert!(!asker.calibration().is_calibrated());
    assert!(asker.calibration().sentence().contains("some-model"));
}
