// Hearings: how agents of each kind are heard, whichever kind the process that follows them would start itself.
import { decodeClaudeLine } from "../../core/agent/ClaudeStream.ts"
import { decodeAgentLine } from "../../core/agent/DecodeLine.ts"
import { type Hearing, hearAnswer, hearLines } from "../../core/agent/Hearing.ts"
import type { AgentKind } from "../../core/run/AgentKind.ts"

/** How one kind is heard. */
export interface Heard {
  /** Whether it tells of its work while it works, so that silence means something. */
  readonly talks: boolean
  readonly hear: () => Hearing
}

/** The hearing of each kind. */
export const hearings: Record<AgentKind, Heard> = {
  codex: {
    talks: true,
    hear: hearLines((line) => {
      const event = decodeAgentLine(line)
      return event === null ? [] : [event]
    })
  },
  claude: { talks: true, hear: hearLines(decodeClaudeLine) },
  command: { talks: false, hear: hearAnswer }
}
