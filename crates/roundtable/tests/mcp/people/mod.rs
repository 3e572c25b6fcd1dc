//! A team on one server: who may do what, through every face.

mod matrix;
mod nodes;
mod page;
mod tokens;

use serde_json::{Value, json};

use crate::http::{Answer, Serving};
use crate::table::Table;

const CONFIG: &str = "\
clerk = \"none\"
[flags.groupthinkDetection]
enabled = false
[server]
starts_per_minute = 1000
[profiles.quick]
agents = [\"Ann=ollama/fake-large\", \"Bea=ollama/fake-small\"]
rounds = 1
";
const PRICES: &str = "
[prices.\"ollama/fake-large\"]
input = 1.0
output = 1.0
[prices.\"ollama/fake-small\"]
input = 1.0
output = 1.0
";
const JSON: (&str, &str) = ("content-type", "application/json");

/// A server with people, each with a token.
pub struct Team {
    pub table: Table,
    pub server: Serving,
}

/// The name of the session that an answer opens.
pub fn session_of(answer: &Answer) -> String {
    let named = answer.text.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    named.expect("no session was opened").to_owned()
}

/// A person on the wire.
pub struct Member {
    pub name: &'static str,
    pub token: String,
    pub cookie: String,
}

impl Team {
    pub async fn new() -> Team {
        Team::at(Table::new().await, CONFIG)
    }

    /// A server at this table with this config file.
    pub fn at(table: Table, config: &str) -> Team {
        table.home.file("config/roundtable/config.toml", config);
        let url = table.fake.base_url();
        let providers = [("OLLAMA_BASE_URL", url.as_str()), ("CUSTOM_BASE_URL", url.as_str())];
        let mut server = Serving::begin(&table.home, &providers);
        server.token = None;
        Team { table, server }
    }

    /// Runs `roundtable people …` beside the server and returns what it printed.
    pub fn people(&self, args: &[&str]) -> String {
        let did = self.table.home.run(&[&["people"], args].concat());
        assert_eq!(did.code, 0, "{args:?}: {did:?}");
        did.stdout.trim().to_owned()
    }

    /// Adds a person and signs them in.
    pub fn member(&self, name: &'static str, role: &str) -> Member {
        self.people(&["add", name, "--role", role]);
        let token = self.people(&["token", "add", name, "laptop"]);
        let cookie = self.sign_in(&token).expect("the token signs in");
        Member { name, token, cookie }
    }

    pub fn sign_in(&self, token: &str) -> Option<String> {
        let origin = format!("http://{}", self.server.address);
        let form = [("content-type", "application/x-www-form-urlencoded"), ("origin", &origin)];
        let answer = self.server.send("POST", "/sign-in", &form, &format!("token={token}"));
        let line = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: "))?;
        assert!(line.contains("httponly") && line.contains("samesite=strict"), "{line}");
        Some(line.split(';').next().unwrap().to_owned())
    }

    /// A call of a tool.
    pub fn call(&self, who: &Member, tool: &str, arguments: Value) -> Answer {
        let call = json!({ "name": tool, "arguments": arguments });
        self.ask(who, "tools/call", call, json!({}))
    }

    /// A message of a client with these abilities.
    pub fn ask(&self, who: &Member, method: &str, params: Value, abilities: Value) -> Answer {
        let bearer = format!("Bearer {}", who.token);
        self.server.post_as(abilities, method, params, &[("authorization", &bearer)])
    }

    /// A message of a client of the older era, in a session if it has one.
    pub fn old(&self, who: &Member, session: Option<&str>, body: &str) -> Answer {
        let bearer = format!("Bearer {}", who.token);
        let mut headers = vec![
            JSON,
            ("accept", "application/json, text/event-stream"),
            ("authorization", bearer.as_str()),
        ];
        headers.extend(session.map(|session| ("mcp-session-id", session)));
        self.server.send("POST", "/mcp", &headers, body)
    }

    pub fn api(&self, who: &Member, path: &str, body: &Value) -> Answer {
        let bearer = format!("Bearer {}", who.token);
        let headers = [JSON, ("authorization", bearer.as_str())];
        self.server.send("POST", path, &headers, &body.to_string())
    }

    pub fn page(&self, who: &Member, path: &str) -> Answer {
        self.server.send("GET", path, &[("cookie", &who.cookie)], "")
    }

    pub fn post(&self, who: &Member, path: &str, form: &str) -> Answer {
        let origin = format!("http://{}", self.server.address);
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", origin.as_str()),
            ("cookie", who.cookie.as_str()),
        ];
        self.server.send("POST", path, &headers, form)
    }

    /// Holds a debate and returns its id.
    pub fn debate(&self, who: &Member, topic: &str) -> String {
        let message = json!({ "role": "user", "content": topic });
        let body = json!({ "model": "roundtable/quick", "messages": [message] });
        let answer = self.api(who, "/v1/chat/completions", &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        let text = answer.message()["choices"][0]["message"]["content"].to_string();
        let id = text.rsplit_once("/debates/").unwrap().1;
        id.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
    }

    /// The ids in the listing of a tool.
    pub fn listed(&self, who: &Member) -> Vec<String> {
        let answer = self.call(who, "list_sessions", json!({})).message();
        let rows = answer["result"]["structuredContent"]["sessions"].as_array().unwrap().clone();
        rows.iter().map(|row| row["sessionId"].as_str().unwrap().to_owned()).collect()
    }
}
