//! Exact tokens as a grammar names them.

/// The id of a token: its index in the model's logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenId(pub u32);

impl TokenId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a grammar refers to one token.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenReference {
    /// By its id.
    Id(TokenId),
    /// By the name of an added or special token, such as `<|im_end|>`, or by the text of a token.
    Name(Box<str>),
    /// By such a name, where the vocabulary has it; else it is no token at all.
    NameIfKnown(Box<str>),
}

/// A set of tokens, each to be matched by its id and never by its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenSet {
    negated: bool,
    members: Box<[TokenReference]>,
}

impl TokenSet {
    /// Just these tokens.
    pub fn of(mut members: Vec<TokenReference>) -> Self {
        members.sort_unstable();
        members.dedup();
        Self { negated: false, members: members.into() }
    }

    /// All tokens but these. Stop tokens are never in it: they end the text.
    pub fn all_but(members: Vec<TokenReference>) -> Self {
        Self { negated: true, ..Self::of(members) }
    }

    /// Whether the members are those that are left out.
    pub fn is_negated(&self) -> bool {
        self.negated
    }

    /// The tokens named: those of the set, or of a negated one those that are left out.
    pub fn members(&self) -> &[TokenReference] {
        &self.members
    }

    /// Whether a token is in a set whose members are all named by id. Of a negated set the caller
    /// knows that the token is no stop token.
    pub(crate) fn contains(&self, token: TokenId) -> bool {
        let named = self
            .members
            .binary_search_by(|member| match member {
                TokenReference::Id(id) => id.cmp(&token),
                TokenReference::Name(_) | TokenReference::NameIfKnown(_) => std::cmp::Ordering::Greater,
            })
            .is_ok();
        named != self.negated
    }

    /// The tokens of a set whose members are all named by id, ascending, of a vocabulary of so many.
    pub(crate) fn tokens(&self, count: usize) -> impl Iterator<Item = TokenId> {
        let named = self.members.iter().filter_map(|member| match member {
            TokenReference::Id(id) if !self.negated => Some(*id),
            _ => None,
        });
        let others = if self.negated { 0..count as u32 } else { 0..0 };
        named.chain(others.map(TokenId).filter(|&token| self.contains(token)))
    }

    /// Whether no token can be in the set.
    pub fn is_nothing(&self) -> bool {
        !self.negated && self.members.is_empty()
    }
}
