// stepLayers: what a step of the CLI needs of the live layers.
// They stand apart from `layers.ts`, because a step starts faster without the agents.
import { Layer } from "effect"
import { layer as reviewers } from "./adapters/codex/ReviewersLive.ts"
import { layer as reviewFiles } from "./adapters/codex/ReviewFilesLive.ts"
import { layer as dismissals } from "./adapters/git/DismissalsLive.ts"
import { layer as gitHub } from "./adapters/git/GitHubLive.ts"
import { layer as git } from "./adapters/git/GitLive.ts"
import { layer as snapshots } from "./adapters/git/SnapshotsLive.ts"
import { layer as eventLog } from "./adapters/log/EventLogFile.ts"
import { layer as runStore } from "./adapters/store/RunStoreLive.ts"
import { layer as progress } from "./adapters/terminal/ProgressTty.ts"
import { layer as processSignals } from "./adapters/terminal/SignalsLive.ts"

export { searchPath } from "./adapters/process/SearchPath.ts"

/** What a step of the CLI needs. */
export const stepping = Layer.mergeAll(
  reviewers,
  dismissals,
  eventLog,
  git,
  gitHub,
  progress,
  reviewFiles,
  runStore,
  snapshots,
  processSignals
)
