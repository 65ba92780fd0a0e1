// stepLayers: the live layers of a step of the CLI.
// They are not in `layers.ts`, because a step starts faster without the agents.
import { Layer } from "effect"
import { layer as reviewers } from "./review/Reviewers.live.ts"
import { layer as reviewFiles } from "./review/ReviewFiles.live.ts"
import { layer as dismissals } from "./review/findings/Dismissals.live.ts"
import { layer as gitHub } from "./code/GitHub.live.ts"
import { layer as git } from "./code/Git.live.ts"
import { layer as snapshots } from "./code/Snapshots.live.ts"
import { layer as eventLog } from "./log/EventLog.live.ts"
import { layer as runStore } from "./run/RunStore.live.ts"
import { ttyLayer as progress } from "./read/view/Progress.live.ts"
import { signalsLayer as processSignals } from "./platform/Process.live.ts"

export { searchPath } from "./platform/SearchPath.ts"

/** The layers of a step of the CLI. */
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
