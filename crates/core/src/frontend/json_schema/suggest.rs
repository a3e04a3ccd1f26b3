//! What a writer may well go on with, so that it is met first where masks are computed ahead.
//!
//! Most objects are written in the order in which their properties are declared, with some of the optional ones left
//! out. The grammar alone does not tell that: where any order is allowed, all orders are alike to it.

use super::completion::Plan;
use super::layout::usual_text;
use super::object::ObjectPlan;
use super::object_state::ObjectState;
use super::places::{MembersPlace, Place, PlaceId};
use super::spelling::usual_string;
use super::writer::Writer;
use crate::error::Result;

/// How an object may go on.
#[derive(Clone, Copy)]
enum Member {
    /// With the name at a place of the plan.
    Named(usize),
    /// With its closing bracket.
    End,
}

impl Writer<'_> {
    /// The `choice`-th text that a writer may well go on with at a place.
    pub(super) fn suggest(&mut self, id: PlaceId, choice: usize) -> Result<Option<Vec<u8>>> {
        let Place::Members(place) = self.places.place(id).clone() else { return Ok(None) };
        let plan = self.solver.object_plan(&place.case)?;
        Ok(self
            .likely_members(&plan, &place.state)
            .get(choice)
            .map(|&member| self.text_of(member, &plan, &place)))
    }

    /// The members that may come next, the likeliest first: the next one declared, the next one required, or none; and
    /// only then those for which more is left out, and those that come late.
    fn likely_members(&self, plan: &ObjectPlan, state: &ObjectState) -> Vec<Member> {
        let open = plan.open_names(state, self.solver.options.order);
        let last_seen = (0..plan.names.len()).rfind(|&at| state.has_seen(at));
        let (late, ahead): (Vec<usize>, Vec<usize>) = open.into_iter().partition(|&at| Some(at) < last_seen);
        let next = ahead.first().copied();
        let required =
            ahead.iter().copied().find(|&at| plan.names[at].required).filter(|&at| Some(at) != next);
        let end = plan.may_end(state).then_some(Member::End);
        let others =
            ahead.iter().chain(&late).copied().filter(|&at| Some(at) != next && Some(at) != required);
        let names = next.into_iter().chain(required).map(Member::Named);
        names.chain(end).chain(others.map(Member::Named)).collect()
    }

    fn text_of(&self, member: Member, plan: &ObjectPlan, place: &MembersPlace) -> Vec<u8> {
        match member {
            Member::End => usual_text(&self.layout.end(place.is_first, place.depth, b"}")),
            Member::Named(at) => {
                let name = self.solver.tables.terms.content(plan.names[at].name);
                let mut text = usual_text(&self.layout.before_value(place.is_first, place.depth));
                text.extend_from_slice(&usual_string(name));
                text
            }
        }
    }
}
