import { createHash } from 'node:crypto';

/** Sessions remembered; the oldest are forgotten first. */
const most = 10_000;

/** An identifier that is longer is remembered by its hash: servers may write 16 KiB of it. In characters, one a byte. */
const longest = 64;

/** Which mount each session began at: a session of one server is a secret that no other one may see. */
export class Sessions {
  readonly #mounts = new Map<string, string>();

  learn(sessions: readonly string[], mount: string): void {
    for (const session of sessions) {
      const kept = keptAs(session);
      if (this.#mounts.has(kept)) continue;
      if (this.#mounts.size >= most) {
        const [oldest = ''] = this.#mounts.keys();
        this.#mounts.delete(oldest);
      }
      this.#mounts.set(kept, mount);
    }
  }

  /** Did one of these begin elsewhere? */
  isOfOther(sessions: readonly string[], mount: string): boolean {
    return sessions.some((session) => (this.#mounts.get(keptAs(session)) ?? mount) !== mount);
  }
}

/** A copy, since V8 keeps the whole head that a part of it was cut from. A line feed stands in no identifier. */
function keptAs(session: string): string {
  return session.length <= longest
    ? Buffer.from(session, 'latin1').toString('latin1')
    : `\n${createHash('sha256').update(session, 'latin1').digest('base64')}`;
}
