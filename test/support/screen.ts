// screen: a terminal that understands just what is drawn for a person who watches, and refuses everything else.
// It keeps what it shows as lines; a sequence it does not know is a failure.

/** What a terminal shows after these bytes, and whether it then wraps long lines. */
export const screenAfter = (
  bytes: string,
  columns = 80
): { readonly lines: ReadonlyArray<string>; readonly wraps: boolean } => {
  const lines: Array<string> = [""]
  let row = 0
  let column = 0
  let wraps = true
  const at = () => lines[row] ?? ""
  for (let i = 0; i < bytes.length;) {
    const sequence = /^\u001b\[(\??)([\d;]*)([A-Za-z])/.exec(bytes.slice(i, i + 12))
    if (sequence !== null) {
      const [whole, mode, number, letter] = sequence
      i += whole.length
      if (mode === "?" && number === "7") wraps = letter === "h"
      else if (letter === "A") row = Math.max(0, row - Number(number))
      else if (letter === "J" && number === "") lines.splice(row, lines.length, at().slice(0, column))
      else if (letter !== "m") throw new Error(`the screen does not know ${JSON.stringify(whole)}`)
      continue
    }
    const char = bytes[i] ?? ""
    i++
    if (char === "\r") column = 0
    else if (char === "\n") {
      row++
      lines[row] ??= ""
    } else if (char < " " || char === "\u007f") {
      throw new Error(`the screen does not know ${JSON.stringify(char)}`)
    } else {
      if (column === columns && wraps) {
        row++
        column = 0
        lines[row] ??= ""
      }
      const place = Math.min(column, columns - 1)
      lines[row] = at().padEnd(place).slice(0, place) + char + at().slice(place + 1)
      column = place + 1
    }
  }
  return { lines: lines.map((line) => line.trimEnd()), wraps }
}
