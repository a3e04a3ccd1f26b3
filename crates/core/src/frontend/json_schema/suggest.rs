//! What a writer may well go on with, so that it is met first where masks are computed ahead.
//!
//! Most objects are written in the order in which their properties are declared, with some of the optional ones left
//! out. The grammar alone does not tell that: where any order is allowed, all orders are alike to it.

use super::completion::Plan;
use super::joined::Object;
use super::layout::usual_text;
use super::object::ObjectPlan;
use super::places::{MembersPlace, PlaceId};
use super::spelling::usual_string;
use super::writer::Writer;
use crate::error::Result;

/// How an object may go on.
#[derive(Clone, Copy)]
enum Member {
    /// With the name at a place of the plan.
    Named(usize),
    /// With some other name.
    Other,
    /// With its closing bracket.
    End,
}

impl Writer<'_> {
    /// The `choice`-th text that a writer may well go on with at a place.
    pub(super) fn suggest(&mut self, id: PlaceId, choice: usize) -> Result<Option<Vec<u8>>> {
        let mut suggested: Vec<Vec<u8>> = Vec::new();
        for Object { place, plan } in self.objects_at(id) {
            for member in self.likely_members(&plan, &place) {
                if !self.can_be(member, &plan, &place)? {
                    continue;
                }
                let text = self.text_of(member, &plan, &place);
                if suggested.contains(&text) {
                    continue;
                }
                if suggested.len() == choice {
                    return Ok(Some(text));
                }
                suggested.push(text);
            }
        }
        Ok(None)
    }

    /// The members that may come next, the likeliest first: the next one declared, the next one required, or none; and
    /// only then those for which more is left out, and those that come late. A key that is not declared comes last, but first
    /// in an object that declares none.
    fn likely_members(&self, plan: &ObjectPlan, place: &MembersPlace) -> Vec<Member> {
        let state = &place.state;
        let open = plan.open_names(state, self.solver.options.order);
        let last_seen = (0..plan.names.len()).rfind(|&at| state.has_seen(at));
        let (late, ahead): (Vec<usize>, Vec<usize>) = open.into_iter().partition(|&at| Some(at) < last_seen);
        let next = ahead.first().copied();
        let required =
            ahead.iter().copied().find(|&at| plan.names[at].required).filter(|&at| Some(at) != next);
        let end = plan.may_end(state).then_some(Member::End);
        let late = ahead.iter().chain(&late).copied().filter(|&at| Some(at) != next && Some(at) != required);
        let mut members: Vec<Member> = next.into_iter().chain(required).map(Member::Named).collect();
        members.extend(end);
        members.extend(late.map(Member::Named));
        if members.is_empty() || place.is_first && plan.names.is_empty() {
            members.insert(0, Member::Other);
        } else if place.others.is_empty() {
            members.push(Member::Other);
        }
        members
    }

    /// Whether a member has a value. What else keeps it from coming is not asked: then its text ends where it cannot go on.
    fn can_be(&mut self, member: Member, plan: &ObjectPlan, place: &MembersPlace) -> Result<bool> {
        let goals = match member {
            Member::Named(at) => vec![plan.names[at].goal],
            Member::Other => {
                let classes = self.solver.open_classes(plan, &place.state);
                classes.into_iter().map(|class| plan.others[class].goal).collect()
            }
            Member::End => return Ok(true),
        };
        for goal in goals {
            if self.solver.is_satisfiable(goal)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn text_of(&self, member: Member, plan: &ObjectPlan, place: &MembersPlace) -> Vec<u8> {
        let before = self.layout.before_value(place.is_first, place.depth);
        match member {
            Member::End => usual_text(&self.layout.end(place.is_first, place.depth, b"}")),
            Member::Named(at) => {
                let name = self.solver.tables.terms.content(plan.names[at].name);
                [usual_text(&before), usual_string(name)].concat()
            }
            Member::Other => [usual_text(&before), b"\"".to_vec()].concat(),
        }
    }
}
