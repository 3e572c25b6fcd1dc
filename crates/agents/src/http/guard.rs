//! Decides which addresses may be reached at all. Everything is refused that
//! is not plain web on a global address: the name is resolved once, one bad
//! address among its answers spoils them all, and what was checked is what is
//! connected to, so that a name cannot change its mind in between.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use futures::future::BoxFuture;
use reqwest::Url;

/// The addresses and ports that may be reached. Users get only the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardPolicy {
    pub ports: Vec<u16>,
    /// Addresses that are let through though they are not global: for tests
    /// that must have a server to talk to.
    pub also: Vec<IpAddr>,
}

impl Default for GuardPolicy {
    fn default() -> Self {
        GuardPolicy { ports: vec![80, 443], also: Vec::new() }
    }
}

/// Turns a name into addresses. Asked once per address that is to be reached.
pub trait Resolver: Send + Sync {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The machine's own resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
        })
    }
}

/// An address that may be reached, and where exactly it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearedUrl {
    pub url: Url,
    pub addresses: Vec<IpAddr>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardRefusal {
    #[error("this is not a web address")]
    NotAUrl,
    #[error("only http and https pages can be read")]
    Scheme,
    #[error("an address with a user name or password in it is not read")]
    UserInfo,
    #[error("port {0} is not read; only the usual web ports are")]
    Port(u16),
    #[error("\"{0}\" names nothing on the public web")]
    PrivateName(String),
    #[error("\"{0}\" could not be found")]
    NotFound(String),
    #[error("\"{0}\" does not lie on the public web")]
    NotGlobal(String),
}

/// Names that mean something inside a private network only.
const PRIVATE_ENDINGS: &[&str] =
    &["localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa", "onion"];

/// Networks of version 4 that are not the public internet, with their purpose.
#[rustfmt::skip]
const PRIVATE_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),         // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),        // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),     // carriers' own
    (Ipv4Addr::new(127, 0, 0, 0), 8),       // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),    // link-local, cloud metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),     // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),      // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),      // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),    // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),    // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),     // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),   // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),    // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),       // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),       // reserved, broadcast
];

/// The one part of version 6 that is handed out for public use. Loopback,
/// unique local, link-local, site-local, multicast, NAT64 and the old ways to
/// write version 4 all lie outside it.
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Parts of it that are not the public internet, or lead to version 4 again.
const PRIVATE_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo, ORCHID
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// True for an address on the public internet, in whatever form it came.
pub fn is_global(address: IpAddr) -> bool {
    // A version 4 address may be dressed as version 6.
    match address.to_canonical() {
        IpAddr::V4(v4) => !PRIVATE_V4.iter().any(|net| in_v4(v4, *net)),
        IpAddr::V6(v6) => in_v6(v6, PUBLIC_V6) && !PRIVATE_V6.iter().any(|net| in_v6(v6, *net)),
    }
}

fn in_v4(address: Ipv4Addr, (net, bits): (Ipv4Addr, u32)) -> bool {
    let shift = 32 - bits;
    address.to_bits() >> shift == net.to_bits() >> shift
}

fn in_v6(address: Ipv6Addr, (net, bits): (Ipv6Addr, u32)) -> bool {
    let shift = 128 - bits;
    address.to_bits() >> shift == net.to_bits() >> shift
}

/// Reads an address as browsers do, so that `0x7f.1`, full-width digits and
/// the like are numbers before they are checked.
pub fn parse(url: &str) -> Result<Url, GuardRefusal> {
    Url::parse(url.trim()).map_err(|_| GuardRefusal::NotAUrl)
}

/// The page's address in the one form in which pages are compared.
pub fn normal_form(url: &str) -> Option<String> {
    let mut url = parse(url).ok()?;
    url.set_fragment(None);
    Some(url.to_string())
}

pub async fn clear(
    url: Url,
    policy: &GuardPolicy,
    resolver: &dyn Resolver,
) -> Result<ClearedUrl, GuardRefusal> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(GuardRefusal::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(GuardRefusal::UserInfo);
    }
    let port = url.port_or_known_default().unwrap_or_default();
    if !policy.ports.contains(&port) {
        return Err(GuardRefusal::Port(port));
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    let addresses = match literal(&host) {
        Some(address) => vec![address],
        None => look_up(&host, resolver).await?,
    };
    let allowed = |address: &IpAddr| is_global(*address) || policy.also.contains(address);
    if addresses.is_empty() || !addresses.iter().all(allowed) {
        return Err(GuardRefusal::NotGlobal(shown(&host)));
    }
    Ok(ClearedUrl { url, addresses })
}

/// The address that a host is, where it is written as one.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

async fn look_up(host: &str, resolver: &dyn Resolver) -> Result<Vec<IpAddr>, GuardRefusal> {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let private = |ending: &str| {
        name == ending || name.strip_suffix(ending).is_some_and(|before| before.ends_with('.'))
    };
    if !name.contains('.') || PRIVATE_ENDINGS.iter().any(|ending| private(ending)) {
        return Err(GuardRefusal::PrivateName(shown(host)));
    }
    let found = resolver.resolve(host).await.map_err(|_| GuardRefusal::NotFound(shown(host)))?;
    if found.is_empty() { Err(GuardRefusal::NotFound(shown(host))) } else { Ok(found) }
}

/// A host as messages show it: they go to a model, and a host can be anything.
fn shown(host: &str) -> String {
    host.chars().filter(|c| !c.is_control()).take(100).collect()
}

impl fmt::Debug for dyn Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resolver")
    }
}
