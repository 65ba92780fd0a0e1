// mutants: the log with one safeguard left out, each a way in which such logs have lost data.
// A crash test that a mutant survives proves nothing; every one of these must be caught.
import type { Files } from "../../src/log/Files.live.ts"

/** A change to the file calls of a process; made anew for every process. */
export type Mutation = (files: Files) => Files

/** The log as it is. */
export const unchanged: Mutation = (files) => files

/** One mutation a safeguard. */
export const mutants: Readonly<Record<string, Mutation>> = {
  "no fsync of the log": (files) => ({ ...files, datasync: () => {} }),
  "no fsync of directories": (files) => ({ ...files, syncDirectory: () => {} }),
  "no repair of a torn tail": (files) => ({ ...files, truncate: () => {} }),
  "acknowledged before it is written": (files) => {
    let late: () => void = () => {}
    return {
      ...files,
      open: (path, mode) => {
        late()
        late = () => {}
        return files.open(path, mode)
      },
      write: (fd, bytes) => {
        const earlier = late
        late = () => {
          earlier()
          files.write(fd, bytes)
          files.datasync(fd)
        }
        return bytes.length
      },
      close: () => {}
    }
  },
  "anchor in place before the line is synced": (files) => {
    let sync = () => {}
    return {
      ...files,
      datasync: (fd) => {
        sync = () => files.datasync(fd)
      },
      rename: (from, to) => {
        files.rename(from, to)
        sync()
      }
    }
  },
  "anchor written over an old file": (files) => ({
    ...files,
    open: (path, mode) => {
      if (mode !== "replace") return files.open(path, mode)
      const fd = files.open(path, "create")
      files.truncate(fd, 0)
      return fd
    }
  }),
  "no fsync of the evidence of a torn tail": (files) => {
    const evidence = new Set<number>()
    return {
      ...files,
      open: (path, mode) => {
        const fd = files.open(path, mode)
        if (/torn\/[^/]+$/.test(path)) evidence.add(fd)
        return fd
      },
      datasync: (fd) => {
        if (!evidence.has(fd)) files.datasync(fd)
      }
    }
  },
  "directories synced only by who creates the log": (files) => {
    let creating = false
    return {
      ...files,
      open: (path, mode) => {
        creating ||= mode === "create"
        return files.open(path, mode)
      },
      syncDirectory: (path) => {
        if (creating) files.syncDirectory(path)
      }
    }
  }
}
