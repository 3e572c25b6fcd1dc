//! The light option of modes in which agents wait for one another: each seat is
//! given to the small model of its provider, if one is known. The brief records the
//! agents that were asked for, and a notice tells the user.

use agents::agent_spec;
use agents::providers::{self, Tier};
use debate::model::{Brief, Execution, StandIn};

use crate::table::notice::TableNotice;
use crate::table::seats::Table;

pub fn seat(table: &mut Table, brief: &mut Brief) {
    let plan = debate::modes::find(&brief.mode);
    let sequential = plan.is_some_and(|plan| plan.execution == Execution::Sequential);
    if !sequential || !brief.flags.sequential_mode.use_light_model {
        return;
    }
    let settings = &table.outside.settings;
    for (place, agent) in table.agents.iter_mut().enumerate() {
        let light = agent_spec::parse(&agent.provider, Tier::Light, settings).ok();
        let light = light.filter(|light| {
            providers::find(&light.provider).is_some() && light.model != agent.model
        });
        let Some(light) = light else { continue };
        let spec = format!("{}/{}", agent.provider, agent.model);
        let own_name = agent_spec::parse(&spec, Tier::Heavy, settings).map(|usual| usual.name);
        let model = std::mem::replace(&mut agent.model, light.model);
        agent.context_window = light.context_window;
        // A name taken from the model would now name another model.
        if own_name.as_ref() == Ok(&agent.name) {
            agent.name = light.name;
        }
        table.notices.push(TableNotice::LightSeat {
            agent: agent.name.clone(),
            model: agent.model.clone(),
            instead_of: model.clone(),
        });
        brief.stand_ins.push(StandIn { agent: place, model });
    }
    agent_spec::keep_apart(&mut table.agents);
}
