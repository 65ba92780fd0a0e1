// layers: the live layers of this machine, for a step and for programs that embed this one.
// Beside the entries `main.ts` and `hookProgram.ts`, only files called `*Layers.ts` and `logging.ts` name adapters.
import { Effect, Layer } from "effect"
import { layer as claudeAgent } from "./adapters/agents/ClaudeAgent.ts"
import { layer as codexAgent } from "./adapters/agents/CodexAgent.ts"
import { layer as commandAgent } from "./adapters/agents/CommandAgent.ts"
import { layer as machine } from "./adapters/codex/MachineLive.ts"
import { layer as reviewers } from "./adapters/codex/ReviewersLive.ts"
import { layer as reviewFiles } from "./adapters/codex/ReviewFilesLive.ts"
import { layer as dismissals } from "./adapters/git/DismissalsLive.ts"
import { layer as gitHub } from "./adapters/git/GitHubLive.ts"
import { layer as git } from "./adapters/git/GitLive.ts"
import { layer as snapshots } from "./adapters/git/SnapshotsLive.ts"
import { layer as commits } from "./adapters/git/CommitsLive.ts"
import { layer as eventLog } from "./adapters/log/EventLogFile.ts"
import { searchPath } from "./adapters/process/SearchPath.ts"
import { layer as drivers } from "./adapters/store/DriversLive.ts"
import { layer as planFiles } from "./adapters/store/PlanFilesLive.ts"
import { layer as runStore } from "./adapters/store/RunStoreLive.ts"
import { layer as tests } from "./adapters/tests/TestsLive.ts"
import { layer as processSignals } from "./adapters/terminal/SignalsLive.ts"
import { Signals } from "./services/Signals.ts"

// A host ends a step by interrupting it; the signals of its process are its own.
const noSignals = Layer.succeed(Signals, { asked: Effect.never })

/** The layers of this machine. `layer` is all that the library needs; each of them can be replaced by the host's. */
export const Live = {
  reviewers,
  dismissals,
  eventLog,
  git,
  gitHub,
  planFiles,
  /** The machine itself, for `doctor`. */
  machine,
  reviewFiles,
  runStore,
  snapshots,
  commits,
  drivers,
  tests,
  noSignals,
  /** PATH without the directories of a worktree, for whoever provides `Environment`. */
  searchPath,
  /** Agents of each kind, by their binary or, for any other program, by the line of the shell that runs it. */
  agents: { codex: codexAgent, claude: claudeAgent, command: commandAgent },
  /** SIGINT, SIGTERM and SIGHUP of this process: for a program whose process ends with its step. */
  processSignals,
  layer: Layer.mergeAll(
    commits,
    drivers,
    reviewers,
    dismissals,
    eventLog,
    git,
    gitHub,
    machine,
    noSignals,
    planFiles,
    reviewFiles,
    runStore,
    snapshots,
    tests
  )
} as const
