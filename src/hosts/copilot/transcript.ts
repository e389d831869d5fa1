// The transcript of GitHub Copilot CLI: its event at a turn's end does not have the answer, but names the file that does.

import { isRecord } from '../../engine/plain-data.ts'
import type { HostTranscript } from '../host.ts'

/** Copilot's list of events, one JSON object a line. */
export const copilotTranscript: HostTranscript = {
  isOwn: (path) => /[\\/]session-state[\\/][^\\/]+[\\/]events\.jsonl$/.test(path),
  readAnswer(end) {
    for (const line of end.split('\n').reverse()) {
      const text = line.includes('"assistant.message"') ? readMessage(line) : undefined
      if (text !== undefined && text !== '') return text
    }
    return undefined
  },
}

function readMessage(line: string): string | undefined {
  try {
    const event: unknown = JSON.parse(line)
    const data = isRecord(event) && event.type === 'assistant.message' ? event.data : undefined
    return isRecord(data) && typeof data.content === 'string' ? data.content : undefined
  } catch {
    // The end of the file may begin within a line.
    return undefined
  }
}
