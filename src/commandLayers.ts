// commandLayers: what the subcommands need of the live layers: those of this machine, and Effect's own for Node.
// They stand apart from `layers.ts`, because a step starts faster without them.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer } from "effect"
import { layer as comments } from "./adapters/git/CommentsLive.ts"
import { layer as plainFiles } from "./adapters/git/PlainFilesLive.ts"
import { layer as sessions } from "./adapters/store/SessionsLive.ts"
import { layer as inFiles } from "./adapters/store/InFilesLive.ts"
import { layer as outFiles } from "./adapters/store/OutFilesLive.ts"
import { layer as runExports } from "./adapters/store/RunExportsLive.ts"
import { layer as settingsFiles } from "./adapters/store/SettingsFilesLive.ts"
import { layer as notifier } from "./adapters/terminal/NotifierLive.ts"
import { layer as output } from "./adapters/terminal/OutputLive.ts"
import { layer as narrator } from "./adapters/terminal/NarratorLive.ts"
import { layer as runner } from "./adapters/terminal/RunnerLive.ts"
import { layer as onOutput } from "./adapters/terminal/ProgressOutput.ts"
import { layer as onTerminal } from "./adapters/terminal/ProgressTty.ts"
import { layer as waiting } from "./adapters/terminal/WaitingTty.ts"
import { Live } from "./layers.ts"
import { AgentKinds } from "./services/AgentKinds.ts"

const {
  commits,
  dismissals,
  drivers,
  eventLog,
  git,
  gitHub,
  machine,
  processSignals,
  reviewers,
  reviewFiles,
  runStore,
  snapshots,
  tests
} = Live

// Subcommands use only the part of this port that is the same for every kind of agent: following and ending them.
const agents = Live.agents.codex()

const kinds = Layer.succeed(
  AgentKinds,
  AgentKinds.of({
    of: (kind, program) => {
      switch (kind) {
        case "codex":
          return program === null ? Live.agents.codex() : Live.agents.codex(program)
        case "claude":
          return program === null ? Live.agents.claude() : Live.agents.claude(program)
        case "command":
          return Live.agents.command(program ?? "")
      }
    }
  })
)

const ports = Layer.mergeAll(
  agents,
  kinds,
  comments,
  commits,
  dismissals,
  drivers,
  eventLog,
  git,
  gitHub,
  inFiles,
  machine,
  notifier,
  outFiles,
  output,
  plainFiles,
  Live.planFiles,
  processSignals,
  reviewers,
  reviewFiles,
  Layer.provide(runner, NodeServices.layer),
  runExports,
  runStore,
  sessions,
  settingsFiles,
  snapshots,
  tests
)

/** What the subcommands need. They draw progress on standard output, because it is theirs. */
export const commanding = Layer.mergeAll(ports, waiting, Layer.provideMerge(onOutput, NodeServices.layer))

/** The same for a subcommand whose standard output belongs to its result: progress is drawn on the terminal. */
export const driving = Layer.mergeAll(ports, NodeServices.layer, Layer.provideMerge(narrator, onTerminal))
