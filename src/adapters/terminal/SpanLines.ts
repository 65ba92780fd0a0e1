// SpanLines: a tracer that writes a line for every span as it ends: what took how long, within what.
import { Option, Tracer } from "effect"
import { jsonText } from "../../core/text/JsonText.ts"

const millisecond = 1_000_000n

class LoggedSpan extends Tracer.NativeSpan {
  readonly ended: (span: LoggedSpan, endTime: bigint, failed: boolean) => void

  constructor(
    options: ConstructorParameters<typeof Tracer.NativeSpan>[0],
    ended: (span: LoggedSpan, endTime: bigint, failed: boolean) => void
  ) {
    super(options)
    this.ended = ended
  }

  override end(...[endTime, exit]: Parameters<Tracer.NativeSpan["end"]>): void {
    if (this.status._tag !== "Ended") this.ended(this, endTime, exit._tag === "Failure")
    super.end(endTime, exit)
  }
}

const nameOf = (span: Tracer.AnySpan): string | null => span._tag === "Span" ? span.name : null

/** The tracer; `write` takes each line with its newline. */
export const spanLines = (write: (line: string) => void, pid: number): Tracer.Tracer => {
  const ended = ({ name, parent, startTime }: LoggedSpan, endTime: bigint, failed: boolean): void => {
    const within = Option.match(parent, { onNone: () => null, onSome: nameOf })
    const time = new Date(Number(endTime / millisecond)).toISOString()
    const ms = Number((endTime - startTime) / millisecond)
    write(`${jsonText({ time, level: "TRACE", pid, span: name, message: "a span ended", within, ms, failed })}\n`)
  }
  return Tracer.make({ span: (options) => new LoggedSpan(options, ended) })
}
