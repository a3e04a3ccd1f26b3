//! Addresses of hosts and of mailboxes.
//!
//! A label `xn--...` stands for one with characters beyond ASCII. What it decodes to is beyond a regular
//! expression of sensible size, so of these labels the form alone is checked: they are as the Punycode
//! algorithm writes them, that is in small letters, with a hyphen after their ASCII part if there is one, and
//! with a first number that leads to a character that labels can hold.

use super::Languages;
use crate::error::Result;
use crate::expression::ExpressionId;
use crate::grammar::GrammarBuilder;

/// The greatest length of a host name, in characters of ASCII.
const LONGEST_HOSTNAME: u32 = 253;

/// The greatest length of a label after its `xn--`, in characters of ASCII.
const LONGEST_PUNYCODE: u32 = 59;

/// The greatest length of the part of a mailbox before its `@`, in bytes.
const LONGEST_LOCAL_PART: u32 = 64;

/// An octet of an IPv4 address, without leading zeros.
const OCTET: &str = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

/// The characters of an atom of a mailbox, as members of a class in brackets.
const ATOM: &str = "A-Za-z0-9!#$%&'*+/=?^_`{|}~-";

/// The characters beyond ASCII, likewise.
const BEYOND_ASCII: &str = r"\u0080-\U0010FFFF";

impl Languages<'_> {
    /// Labels of letters, digits and inner hyphens, separated by dots.
    pub(super) fn hostname(&mut self) -> Result<ExpressionId> {
        let label = self.hostname_label()?;
        let dot = self.builder.literal(b".");
        let labels = self.separated(label, dot);
        self.at_most_characters(labels, LONGEST_HOSTNAME)
    }

    /// One label or more with separators between them.
    pub(super) fn separated(&mut self, label: ExpressionId, separator: ExpressionId) -> ExpressionId {
        let more = self.sequence(&[separator, label]);
        let more = self.builder.repetition(more, 0, None);
        self.sequence(&[label, more])
    }

    /// A label of a host name.
    pub(super) fn hostname_label(&mut self) -> Result<ExpressionId> {
        self.named("label of a hostname", |languages| languages.ascii_label("0-9"))
    }

    /// A label of ASCII characters, Punycode included, that begins with a letter or one of `others`, which
    /// are members of a class in brackets.
    pub(super) fn ascii_label(&mut self, others: &str) -> Result<ExpressionId> {
        let rest = |most: usize| format!("(?:[A-Za-z0-9-]{{0,{}}}[A-Za-z0-9])?", most - 1);
        // Of labels that begin with `xn`, those without the two hyphens after it.
        let plain = format!(
            "[A-WYZa-wyz{others}]{}|[Xx](?:[A-MO-Za-mo-z0-9]{}|-[A-Za-z0-9-]{{0,60}}[A-Za-z0-9]\
             |[Nn](?:[A-Za-z0-9]{}|-[A-Za-z0-9]{})?)?",
            rest(62),
            rest(61),
            rest(60),
            rest(59)
        );
        let plain = self.pattern(&plain)?;
        let prefix = self.builder.literal(b"xn--");
        // Letters are the digits 0 to 25 and end a number where they are below a threshold, which is 1 for
        // the first two digits of the first number and 26 for its others. Numbers of less than three digits
        // lead to control characters and signs of Latin-1, those of more than seven beyond Unicode.
        let numbers = "[b-z0-9]{2}[0-9]{0,4}[a-z](?:[a-z0-9]*[a-z])?";
        let encoded = self.pattern(&format!("(?:[a-z0-9-]+-)?{numbers}"))?;
        let encoded = self.at_most_characters(encoded, LONGEST_PUNYCODE)?;
        let encoded = self.sequence(&[prefix, encoded]);
        Ok(self.either(&[plain, encoded]))
    }

    /// `Mailbox` of RFC 5321, with an IPv4 or IPv6 address as the only address literals.
    pub(super) fn email(&mut self) -> Result<ExpressionId> {
        let domain = self.named("hostname", Self::hostname)?;
        self.mailbox("", domain)
    }

    /// A local part and a domain or address; `more` are characters of local parts besides those of ASCII, as
    /// members of a class in brackets.
    fn mailbox(&mut self, more: &str, domain: ExpressionId) -> Result<ExpressionId> {
        let atom = format!("[{more}{ATOM}]+");
        let quoted = format!(r#""(?:[ !#-\[\]-~{more}]|\\[ -~])*""#);
        let local = self.pattern(&format!(r"{atom}(?:\.{atom})*|{quoted}"))?;
        let local = match more {
            "" => self.at_most_characters(local, LONGEST_LOCAL_PART),
            _ => self.at_most_bytes(local, LONGEST_LOCAL_PART),
        }?;
        let at = self.builder.literal(b"@");
        let literal = self.named("address of a mailbox", Self::address_of_mailbox)?;
        let domain = self.either(&[domain, literal]);
        Ok(self.sequence(&[local, at, domain]))
    }

    /// An address in brackets.
    fn address_of_mailbox(&mut self) -> Result<ExpressionId> {
        let (ipv4, ipv6) = (self.named("ipv4", Self::ipv4)?, self.named("ipv6", Self::ipv6)?);
        let tag = self.pattern("[Ii][Pp][Vv]6:")?;
        let ipv6 = self.sequence(&[tag, ipv6]);
        let address = self.either(&[ipv4, ipv6]);
        let (open, close) = (self.builder.literal(b"["), self.builder.literal(b"]"));
        Ok(self.sequence(&[open, address, close]))
    }

    /// `Mailbox` with the extensions of RFC 6531: characters beyond ASCII, in domains as labels allow them.
    pub(super) fn idn_email(&mut self) -> Result<ExpressionId> {
        let dot = self.builder.literal(b".");
        let domain = self.international_name(dot)?;
        self.mailbox(BEYOND_ASCII, domain)
    }

    /// Four octets in decimal notation.
    pub(super) fn ipv4(&mut self) -> Result<ExpressionId> {
        self.pattern(&format!(r"{OCTET}(?:\.{OCTET}){{3}}"))
    }

    /// Eight groups of up to four hexadecimal digits, of which `::` leaves out a run of zeros, and of which
    /// the last two can be an IPv4 address.
    pub(super) fn ipv6(&mut self) -> Result<ExpressionId> {
        let group = self.pattern("[0-9A-Fa-f]{1,4}")?;
        let ipv4 = self.named("ipv4", Self::ipv4)?;
        let colon = self.builder.literal(b":");
        // What may follow `::`, by the greatest number of groups.
        let mut shortened = vec![GrammarBuilder::EMPTY];
        let mut some = group;
        for _ in 1..8 {
            shortened.push(self.optional(some));
            let more = self.sequence(&[colon, some]);
            let more = self.optional(more);
            let groups = self.sequence(&[group, more]);
            some = self.either(&[groups, ipv4]);
        }
        // What may follow the groups read.
        let mut rest = GrammarBuilder::EMPTY;
        for read in (1..8).rev() {
            let shortened = self.sequence(&[colon, shortened[7 - read]]);
            let next = self.sequence(&[group, rest]);
            let last = if read == 6 { ipv4 } else { GrammarBuilder::NOTHING };
            let after_colon = self.either(&[shortened, next, last]);
            rest = self.sequence(&[colon, after_colon]);
        }
        let full = self.sequence(&[group, rest]);
        let shortened = self.sequence(&[colon, colon, shortened[7]]);
        Ok(self.either(&[shortened, full]))
    }
}
