use std::fmt;
use std::str::FromStr;

use shoal_core::policy::without_password;

use crate::ConnectorError;

/// Where a stream is read or published.
///
/// ```text
/// -                                                                    standard input or output
/// nats://[USER:PASSWORD@]HOST[:4222][,HOST…]/STREAM[?subject=NAME][&consumer=NAME]
/// kafka://HOST[:9092][,HOST…]/TOPIC[?group=NAME][&balance=partitions]
/// ```
///
/// `consumer` and `group` are for a source: the name under which the broker remembers how far it was read. With
/// `balance=partitions` the processes of the group share the partitions of the topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Standard input or output.
    Stdio,
    /// A stream of NATS JetStream.
    Nats(NatsAddress),
    /// A topic of a broker that speaks Kafka's protocol.
    Kafka(KafkaAddress),
}

/// A stream of NATS JetStream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsAddress {
    /// Servers, each as `host:port`.
    pub servers: Vec<String>,
    /// Who connects.
    pub login: Option<Login>,
    /// The stream.
    pub stream: String,
    /// Of a source, the subject that is read (all of them without it); of a sink, the subject that is written (named
    /// as the stream without it).
    pub subject: Option<String>,
    /// Of a source, the durable consumer.
    pub consumer: Option<String>,
}

/// A topic of a broker that speaks Kafka's protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KafkaAddress {
    /// Servers, each as `host:port`.
    pub servers: Vec<String>,
    /// The topic.
    pub topic: String,
    /// Of a source, the consumer group.
    pub group: Option<String>,
    /// Of a source, whether the partitions are balanced over the processes of the group. Otherwise one process reads all.
    pub balance: bool,
}

/// A name and a password, which is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The name.
    pub user: String,
    /// The password.
    pub password: String,
}

impl Address {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Address, ConnectorError> {
        let wrong = |why| ConnectorError::Address { url: without_password(text), why };
        if text == "-" {
            return Ok(Address::Stdio);
        }
        match text.split_once("://") {
            Some(("nats", rest)) => nats(rest).map(Address::Nats).map_err(wrong),
            Some(("kafka", rest)) => kafka(rest).map(Address::Kafka).map_err(wrong),
            Some((scheme, _)) => Err(wrong(format!("`{scheme}` is not known; `nats` and `kafka` are"))),
            None => Err(wrong("it is neither `-` nor starts with `nats://` or `kafka://`".to_owned())),
        }
    }
}

impl FromStr for Address {
    type Err = ConnectorError;

    fn from_str(text: &str) -> Result<Address, ConnectorError> {
        Address::parse(text)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Stdio => f.write_str("-"),
            Address::Nats(address) => address.fmt(f),
            Address::Kafka(address) => address.fmt(f),
        }
    }
}

impl fmt::Display for NatsAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nats://{}/{}", self.servers.join(","), self.stream)?;
        show_query(f, &[("subject", &self.subject), ("consumer", &self.consumer)])
    }
}

impl fmt::Display for KafkaAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kafka://{}/{}", self.servers.join(","), self.topic)?;
        let balance = self.balance.then(|| BALANCE.to_owned());
        show_query(f, &[("group", &self.group), ("balance", &balance)])
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:***", self.user)
    }
}

/// What can be balanced over the processes of a group.
const BALANCE: &str = "partitions";

fn show_query(f: &mut fmt::Formatter<'_>, query: &[(&str, &Option<String>)]) -> fmt::Result {
    let given = query.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
    for (place, (key, value)) in given.enumerate() {
        write!(f, "{}{key}={value}", if place == 0 { '?' } else { '&' })?;
    }
    Ok(())
}

fn nats(rest: &str) -> Result<NatsAddress, String> {
    let (login, rest) = match rest.rsplit_once('@') {
        Some((login, rest)) => (Some(read_login(login)?), rest),
        None => (None, rest),
    };
    let parts = Parts::read(rest, "stream")?;
    let [subject, consumer] = parts.query(["subject", "consumer"])?;
    let plain = |what: &str, name: &str, forbidden: &str| match name.chars().find(|c| forbidden.contains(*c))
    {
        Some(c) => Err(format!("the {what} `{name}` holds `{c}`, which NATS does not allow")),
        None => Ok(()),
    };
    plain("stream", parts.name, ".*>/\\ ")?;
    plain("subject", subject.as_deref().unwrap_or_default(), " ")?;
    plain("consumer", consumer.as_deref().unwrap_or_default(), ".*>/\\ ")?;
    Ok(NatsAddress { servers: parts.servers(4222)?, login, stream: parts.name.to_owned(), subject, consumer })
}

fn kafka(rest: &str) -> Result<KafkaAddress, String> {
    if rest.contains('@') {
        return Err("a name and a password are not supported for Kafka".to_owned());
    }
    let parts = Parts::read(rest, "topic")?;
    let [group, balance] = parts.query(["group", "balance"])?;
    if let Some(other) = balance.as_ref().filter(|what| *what != BALANCE) {
        return Err(format!("`balance={other}` is not known; known is `balance={BALANCE}`"));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    match parts.name.chars().find(|c| !allowed(*c)) {
        Some(c) => Err(format!("the topic `{}` holds `{c}`, which Kafka does not allow", parts.name)),
        None => {
            let (servers, topic, balance) = (parts.servers(9092)?, parts.name.to_owned(), balance.is_some());
            Ok(KafkaAddress { servers, topic, group, balance })
        }
    }
}

fn read_login(text: &str) -> Result<Login, String> {
    let (user, password) = text.split_once(':').ok_or("before `@` there must be NAME:PASSWORD")?;
    let plain = |text| unescaped(text).ok_or("before `@`, `%` must be followed by two hexadecimal digits");
    Ok(Login { user: plain(user)?, password: plain(password)? })
}

/// `%40` and the like made plain.
fn unescaped(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(piece.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

/// `HOSTS/NAME?QUERY`, cut.
struct Parts<'a> {
    hosts: &'a str,
    name: &'a str,
    query: &'a str,
}

impl<'a> Parts<'a> {
    fn read(rest: &'a str, what: &str) -> Result<Parts<'a>, String> {
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (hosts, name) = path.split_once('/').unwrap_or((path, ""));
        if name.is_empty() { Err(format!("it names no {what}")) } else { Ok(Parts { hosts, name, query }) }
    }

    fn servers(&self, port: u16) -> Result<Vec<String>, String> {
        let server = |text: &str| {
            // The colons inside of `[::1]` are no ports.
            let colon = text.rfind(':').filter(|colon| text.rfind(']').is_none_or(|end| end < *colon));
            let (host, port) = match colon {
                Some(colon) => (&text[..colon], text[colon + 1..].parse().ok()),
                None => (text, Some(port)),
            };
            match port {
                _ if host.is_empty() => Err("it names no host".to_owned()),
                Some(port) => Ok(format!("{host}:{port}")),
                None => Err(format!("`{text}` has no port number after its colon")),
            }
        };
        self.hosts.split(',').map(server).collect()
    }

    /// The values of the known keys, in their order.
    fn query<const N: usize>(&self, known: [&str; N]) -> Result<[Option<String>; N], String> {
        let mut values = [const { None }; N];
        for pair in self.query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let Some(place) = known.iter().position(|k| *k == key) else {
                return Err(format!("`{key}` is not known; known is `{}`", known.join("`, `")));
            };
            if value.is_empty() {
                return Err(format!("`{key}` has no value"));
            }
            if values[place].replace(value.to_owned()).is_some() {
                return Err(format!("`{key}` is given twice"));
            }
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(text: &str) -> String {
        match Address::parse(text) {
            Err(ConnectorError::Address { why, .. }) => why,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn addresses_are_read_and_shown_again() {
        for text in [
            "-",
            "nats://broker:4222/visits",
            "nats://a:1,b:2/visits?subject=ward.*&consumer=shoal-2",
            "nats://[::1]:4222/visits",
            "kafka://a:9092,b:9093/visits",
            "kafka://a:9092/visits.2?group=research",
            "kafka://a:9092/visits?group=research&balance=partitions",
        ] {
            assert_eq!(Address::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Address::parse("nats://a/s").unwrap().to_string(), "nats://a:4222/s");
        assert_eq!(Address::parse("kafka://a,[::1]/t").unwrap().to_string(), "kafka://a:9092,[::1]:9092/t");
    }

    #[test]
    fn a_password_is_read_and_never_shown() {
        let address = Address::parse("nats://shoal:p%40ss@broker/visits").unwrap();
        let Address::Nats(nats) = &address else { panic!("{address:?}") };
        let login = nats.login.as_ref().unwrap();
        assert_eq!((login.user.as_str(), login.password.as_str()), ("shoal", "p@ss"));
        let wrong = Address::parse("nats://shoal:p%40ss@broker/").unwrap_err();
        for shown in [address.to_string(), format!("{address:?}"), wrong.to_string(), format!("{wrong:?}")] {
            assert!(!shown.contains("p@ss") && !shown.contains("p%40ss"), "{shown}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(why("visits.csv"), "it is neither `-` nor starts with `nats://` or `kafka://`");
        assert_eq!(why("amqp://a/b"), "`amqp` is not known; `nats` and `kafka` are");
        assert_eq!(why("nats://broker"), "it names no stream");
        assert_eq!(why("kafka://broker/?group=a"), "it names no topic");
        assert_eq!(why("nats:///visits"), "it names no host");
        assert_eq!(why("kafka://a:9092,:9092/visits"), "it names no host");
        assert_eq!(why("nats://a:port/visits"), "`a:port` has no port number after its colon");
        assert_eq!(why("nats://a/s?topic=b"), "`topic` is not known; known is `subject`, `consumer`");
        assert_eq!(why("kafka://a/t?group"), "`group` has no value");
        assert_eq!(why("kafka://a/t?group=a&group=b"), "`group` is given twice");
        assert_eq!(
            why("kafka://a/t?balance=people"),
            "`balance=people` is not known; known is `balance=partitions`"
        );
        assert_eq!(why("nats://a/ward.1"), "the stream `ward.1` holds `.`, which NATS does not allow");
        assert_eq!(why("kafka://a/ward 1"), "the topic `ward 1` holds ` `, which Kafka does not allow");
        assert_eq!(why("nats://shoal@a/s"), "before `@` there must be NAME:PASSWORD");
        assert_eq!(why("nats://a:%4@a/s"), "before `@`, `%` must be followed by two hexadecimal digits");
        assert_eq!(why("kafka://a:b@a/s"), "a name and a password are not supported for Kafka");
    }
}
