//! Branches as far as they have been read.

use std::rc::Rc;

use super::look::{Branch, Item, Look};
use super::run::Run;
use super::tree::Direction;
use crate::grammar::GrammarBuilder;

/// The assertions at one place of a branch, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) behind: Vec<Look>,
    pub(super) ahead: Vec<Look>,
}

impl Place {
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn len(&self) -> usize {
        self.behind.len() + self.ahead.len()
    }

    /// Adds an assertion; false if it contradicts another one about the code point beside the place.
    pub(super) fn add(&mut self, look: Look) -> bool {
        /// So many assertions at one place are compared with those after them.
        const FEW: usize = 8;
        let at_place = self.looking(look.direction);
        let mut others = at_place.iter().take(FEW);
        if others.clone().any(|other| other.contradicts(&look)) {
            return false;
        }
        if !others.any(|other| other.language == look.language) {
            at_place.push(look);
        }
        true
    }

    /// Adds the assertions of another place that has become the same; false if any contradict each other.
    pub(super) fn add_all(&mut self, other: &Self) -> bool {
        other.looks().all(|look| self.add(look.clone()))
    }

    fn looking(&mut self, direction: Direction) -> &mut Vec<Look> {
        match direction {
            Direction::Ahead => &mut self.ahead,
            Direction::Behind => &mut self.behind,
        }
    }

    fn looks(&self) -> impl DoubleEndedIterator<Item = &Look> {
        self.behind.iter().chain(&self.ahead)
    }
}

/// Takes some of the assertions in a direction away. A place that is shared is copied only where there are any.
pub(super) fn take(
    place: &mut Rc<Place>,
    direction: Direction,
    is_taken: impl Fn(&Look) -> bool,
) -> Vec<Look> {
    let looks = if direction == Direction::Ahead { &place.ahead } else { &place.behind };
    if !looks.iter().any(&is_taken) {
        return Vec::new();
    }
    Rc::make_mut(place).looking(direction).extract_if(.., |look| is_taken(look)).collect()
}

/// Places, each with the run of texts beside it, as a stack. Stacks share what they have in common, so that a
/// branch goes on in two ways without a copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack(Option<Rc<Link>>);

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) place: Rc<Place>,
    pub(super) run: Run,
    pub(super) before: Stack,
    /// How many items all of it comes to.
    parts: usize,
}

impl Drop for Link {
    /// Without calls of itself: stacks are as deep as branches are long.
    fn drop(&mut self) {
        let mut before = self.before.0.take();
        while let Some(mut link) = before.and_then(Rc::into_inner) {
            before = link.before.0.take();
        }
    }
}

impl Stack {
    pub(super) fn top(&self) -> Option<&Link> {
        self.0.as_deref()
    }

    pub(super) fn push(&mut self, place: Rc<Place>, run: Run) {
        let parts = self.parts() + place.len() + 1;
        let before = std::mem::take(self);
        self.0 = Some(Rc::new(Link { place, run, before, parts }));
    }

    pub(super) fn pop(&mut self) -> Option<(Rc<Place>, Run)> {
        let link = self.0.take()?;
        self.0.clone_from(&link.before.0);
        Some((Rc::clone(&link.place), link.run.clone()))
    }

    fn parts(&self) -> usize {
        self.top().map_or(0, |link| link.parts)
    }

    /// All of it, from the top on.
    fn links(&self) -> impl Iterator<Item = &Link> {
        std::iter::successors(self.top(), |link| link.before.top())
    }
}

/// A branch as far as it has been read: places, each with the run that comes after it, and then another place. All
/// places have assertions but for the first and the last.
#[derive(Clone, Debug, Default)]
pub(super) struct Settled {
    pub(super) before: Stack,
    pub(super) place: Rc<Place>,
}

impl Settled {
    /// How many items it has.
    pub(super) fn parts(&self) -> usize {
        self.before.parts() + self.place.len()
    }

    /// Adds a run: to the one before, where no assertion is between them.
    pub(super) fn append(&mut self, run: &Run) {
        match &mut self.before.0 {
            Some(last) if self.place.is_empty() => {
                let link = Rc::make_mut(last);
                link.run = link.run.followed_by(run);
            }
            _ => self.before.push(std::mem::take(&mut self.place), run.clone()),
        }
    }

    /// Goes back to the beginning. What comes after that is a stack of which each place is behind its run.
    pub(super) fn rewound(mut self) -> (Self, Stack) {
        let mut rest = Stack::default();
        while let Some((place, run)) = self.before.pop() {
            rest.push(std::mem::replace(&mut self.place, place), run);
        }
        (self, rest)
    }

    /// The assertions that have text beside them.
    pub(super) fn beside_texts(&self) -> Vec<Look> {
        let mut looks = Vec::new();
        let mut place = &self.place;
        for link in self.before.links() {
            looks.extend(place.behind.iter().rev().chain(link.place.ahead.iter().rev()).cloned());
            place = &link.place;
        }
        looks.reverse();
        looks
    }

    /// The items of it.
    pub(super) fn branch(&self, builder: &mut GrammarBuilder) -> Branch {
        let mut items: Vec<Item> = self.place.looks().rev().cloned().map(Item::Look).collect();
        for link in self.before.links() {
            items.push(Item::Text(link.run.segment(builder)));
            items.extend(link.place.looks().rev().cloned().map(Item::Look));
        }
        items.reverse();
        items
    }
}
