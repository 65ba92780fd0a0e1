// commandLayers: what the subcommands need of the live layers: those of this machine, and Effect's own for Node.
// They stand apart from `layers.ts`, because a step starts faster without them.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer } from "effect"
import { layer as plainFiles } from "./adapters/git/PlainFilesLive.ts"
import { layer as output } from "./adapters/terminal/OutputLive.ts"
import { layer as progress } from "./adapters/terminal/ProgressOutput.ts"
import { Live } from "./layers.ts"

const { dismissals, eventLog, git, gitHub, machine, processSignals, reviewFiles, reviewers, runStore, snapshots } = Live

// Of the port to agents they use only what is the same for every kind: following and ending them.
const agents = Live.agents.codex()

/** What the subcommands need. They draw progress on standard output, because it is theirs. */
export const commanding = Layer.mergeAll(
  agents,
  dismissals,
  eventLog,
  git,
  gitHub,
  machine,
  output,
  plainFiles,
  processSignals,
  Layer.provideMerge(progress, NodeServices.layer),
  reviewers,
  reviewFiles,
  runStore,
  snapshots
)
