// commandLayers: the live layers of the subcommands: this machine's, and Effect's own for Node.
// They are not in `layers.ts`, because a step starts faster without them.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer } from "effect"
import { layer as comments } from "./ci/Comments.live.ts"
import { layer as plainFiles } from "./code/PlainFiles.live.ts"
import { layer as sessions } from "./hook/Sessions.live.ts"
import { inFilesLayer as inFiles, outFilesLayer as outFiles } from "./read/UserFiles.live.ts"
import { layer as runExports } from "./fleet/RunExports.live.ts"
import { layer as settingsFiles } from "./hook/SettingsFiles.live.ts"
import { narratorLayer as narrator, notifierLayer as notifier } from "./drive/Narrator.live.ts"
import { layer as testConsents } from "./drive/TestConsents.live.ts"
import { layer as question } from "./platform/Question.live.ts"
import { outputLayer as output } from "./platform/Process.live.ts"
import { layer as runner } from "./ci/Runner.live.ts"
import { outputLayer as onOutput, ttyLayer as onTerminal } from "./read/view/Progress.live.ts"
import { layer as waiting } from "./read/view/BusyLine.live.ts"
import { Live } from "./layers.ts"
import { AgentKinds } from "./agent/Agent.ts"

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
  question,
  reviewers,
  reviewFiles,
  Layer.provide(runner, NodeServices.layer),
  runExports,
  runStore,
  sessions,
  settingsFiles,
  snapshots,
  testConsents,
  tests
)

/** The layers of the subcommands. They draw progress on standard output, because it is theirs. */
export const commanding = Layer.mergeAll(ports, waiting, Layer.provideMerge(onOutput, NodeServices.layer))

/** The same for a subcommand whose standard output belongs to its result: progress is drawn on the terminal. */
export const driving = Layer.mergeAll(ports, NodeServices.layer, Layer.provideMerge(narrator, onTerminal))
