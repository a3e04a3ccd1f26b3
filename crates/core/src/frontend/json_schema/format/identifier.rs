//! Identifiers: URIs (RFC 3986), IRIs (RFC 3987), URI templates (RFC 6570, with its errata) and UUIDs (RFC
//! 4122).

use super::Languages;
use crate::error::Result;
use crate::expression::ExpressionId;

/// The characters beyond ASCII that an IRI may hold anywhere: `ucschar`.
const UNIVERSAL: &str = concat!(
    r"\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF\U00010000-\U0001FFFD",
    r"\U00020000-\U0002FFFD\U00030000-\U0003FFFD\U00040000-\U0004FFFD\U00050000-\U0005FFFD",
    r"\U00060000-\U0006FFFD\U00070000-\U0007FFFD\U00080000-\U0008FFFD\U00090000-\U0009FFFD",
    r"\U000A0000-\U000AFFFD\U000B0000-\U000BFFFD\U000C0000-\U000CFFFD\U000D0000-\U000DFFFD",
    r"\U000E1000-\U000EFFFD",
);

/// Those that it may hold in its query only: `iprivate`.
const PRIVATE: &str = r"\uE000-\uF8FF\U000F0000-\U000FFFFD\U00100000-\U0010FFFD";

const PERCENT_ENCODED: &str = "%[0-9A-Fa-f]{2}";

/// What may follow the scheme, or stand without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// With a scheme.
    Absolute,
    /// Without a scheme.
    Relative,
}

/// The characters of a URI or an IRI.
#[derive(Clone, Copy, Debug)]
struct Characters {
    /// Those allowed beyond ASCII, as members of a class in brackets.
    beyond_ascii: &'static str,
    /// Those allowed in a query besides, likewise.
    private: &'static str,
}

const OF_URI: Characters = Characters { beyond_ascii: "", private: "" };
const OF_IRI: Characters = Characters { beyond_ascii: UNIVERSAL, private: PRIVATE };

impl Characters {
    /// One unreserved character, sub-delimiter or percent-encoded byte, or one of `more`.
    fn including(self, more: &str) -> String {
        format!("(?:[A-Za-z0-9._~!$&'()*+,;={more}{}-]|{PERCENT_ENCODED})", self.beyond_ascii)
    }
}

impl Languages<'_> {
    /// A URI: it begins with a scheme.
    pub(super) fn uri(&mut self) -> Result<ExpressionId> {
        self.resource_identifier(Kind::Absolute, OF_URI)
    }

    /// A URI or a relative reference.
    pub(super) fn uri_reference(&mut self) -> Result<ExpressionId> {
        let absolute = self.resource_identifier(Kind::Absolute, OF_URI)?;
        let relative = self.resource_identifier(Kind::Relative, OF_URI)?;
        Ok(self.either(&[absolute, relative]))
    }

    /// An IRI: a URI with characters beyond ASCII.
    pub(super) fn iri(&mut self) -> Result<ExpressionId> {
        self.resource_identifier(Kind::Absolute, OF_IRI)
    }

    /// An IRI or a relative reference with characters beyond ASCII.
    pub(super) fn iri_reference(&mut self) -> Result<ExpressionId> {
        let absolute = self.resource_identifier(Kind::Absolute, OF_IRI)?;
        let relative = self.resource_identifier(Kind::Relative, OF_IRI)?;
        Ok(self.either(&[absolute, relative]))
    }

    fn resource_identifier(&mut self, kind: Kind, characters: Characters) -> Result<ExpressionId> {
        let of_path = characters.including(":@");
        let of_first_segment = match kind {
            Kind::Absolute => of_path.clone(),
            // A colon there would end a scheme.
            Kind::Relative => characters.including("@"),
        };
        let scheme = match kind {
            Kind::Absolute => self.pattern("[A-Za-z][A-Za-z0-9+.-]*:")?,
            Kind::Relative => self.pattern("")?,
        };
        let authority = self.authority(characters)?;
        let path_of_authority = self.pattern(&format!("(?:/{of_path}*)*"))?;
        let with_authority = self.sequence(&[authority, path_of_authority]);
        // A path without an authority before it does not begin with two slashes.
        let path =
            self.pattern(&format!("/(?:{of_path}+(?:/{of_path}*)*)?|{of_first_segment}+(?:/{of_path}*)*|"))?;
        let hierarchy = self.either(&[with_authority, path]);
        let query = characters.including(&format!(":@/?{}", characters.private));
        let fragment = characters.including(":@/?");
        let rest = self.pattern(&format!(r"(?:\?{query}*)?(?:#{fragment}*)?"))?;
        Ok(self.sequence(&[scheme, hierarchy, rest]))
    }

    /// Two slashes and the authority: user information, host and port.
    fn authority(&mut self, characters: Characters) -> Result<ExpressionId> {
        let user = characters.including(":");
        let user = self.pattern(&format!("//(?:{user}*@)?"))?;
        // An IPv4 address is a registered name too, by its characters.
        let name = self.pattern(&format!("{}*", characters.including("")))?;
        let literal = self.named("address of a URI", Self::address)?;
        let host = self.either(&[name, literal]);
        let port = self.pattern("(?::[0-9]*)?")?;
        Ok(self.sequence(&[user, host, port]))
    }

    /// An address in brackets, the same in URIs and IRIs.
    fn address(&mut self) -> Result<ExpressionId> {
        let address = self.named("ipv6", Self::ipv6)?;
        let future = self.pattern(&format!("[Vv][0-9A-Fa-f]+[.]{}+", "[A-Za-z0-9._~!$&'()*+,;=:-]"))?;
        let address = self.either(&[address, future]);
        let (open, close) = (self.builder.literal(b"["), self.builder.literal(b"]"));
        Ok(self.sequence(&[open, address, close]))
    }

    /// Literal text and expressions in braces. The operators reserved for extensions are part of the syntax.
    pub(super) fn uri_template(&mut self) -> Result<ExpressionId> {
        let literal = format!(r"[!#$&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~{UNIVERSAL}{PRIVATE}]|{PERCENT_ENCODED}");
        let character = format!("(?:[A-Za-z0-9_]|{PERCENT_ENCODED})");
        let variable = format!(r"{character}(?:\.?{character})*(?::[1-9][0-9]{{0,3}}|\*)?");
        let expression = format!(r"\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*\}}");
        self.pattern(&format!("(?:{literal}|{expression})*"))
    }

    /// Hexadecimal digits in groups of 8, 4, 4, 4 and 12. Version and variant are not looked at.
    pub(super) fn uuid(&mut self) -> Result<ExpressionId> {
        self.pattern("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
    }
}
