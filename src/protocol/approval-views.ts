// Approvals as the dashboard and webhooks get them. Types for daemon and page.

/** `GET /v1/approvals[?all=true]`; `POST /v1/approvals/:id/approve|deny` returns the answered approval. */
export interface ApprovalView {
  readonly id: string
  readonly step: {
    readonly point: string
    readonly tool?: string | undefined
    /** The exact arguments, with edits of hooks; null if `isCut`. */
    readonly args: unknown
    readonly workspace?: string | undefined
    readonly session?: string | undefined
  }
  /** The command, or the arguments as JSON: complete, with hidden characters escaped. */
  readonly command: string
  /** Only the start of the command; `GET /v1/approvals` has all of it. A cut command cannot be approved. */
  readonly isCut: boolean
  /** Set if the arguments are too long to store: `command` is a preview of that many bytes. */
  readonly preview: { readonly bytes: number; readonly sha256: string } | null
  readonly reason: string | null
  readonly hook: string | null
  readonly status: 'pending' | 'approved' | 'denied' | 'expired' | 'used' | 'withdrawn'
  readonly answeredBy: string | null
  /** The text for the agent that came with the answer. */
  readonly message: string | null
  /**
   * What an answer applies to: the step that the agent's own prompt asks about, the call that waits, or, after a refusal,
   * the next step that is the same.
   */
  readonly appliesTo: 'prompt' | 'call' | 'next'
  /** Why a question ended without an answer here. */
  readonly withdrawnBy: 'result' | 'turn' | 'message' | 'session' | null
  /** ISO. */
  readonly createdAt: string
  readonly expiresAt: string
}

/** The JSON that a webhook of `notify` gets: when a step waits for approval, and when it is over. */
export interface ApprovalMessage {
  readonly type: 'approval:waiting' | 'approval:over'
  readonly approval: ApprovalView
}
