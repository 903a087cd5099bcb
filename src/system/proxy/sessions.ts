/** Sessions remembered; the oldest are forgotten first. */
const most = 10_000;

/** Which mount each session began at: a session of one server is a secret that no other one may see. */
export class Sessions {
  readonly #mounts = new Map<string, string>();

  learn(sessions: readonly string[], mount: string): void {
    for (const session of sessions) {
      if (this.#mounts.has(session)) continue;
      if (this.#mounts.size >= most) {
        const [oldest = ''] = this.#mounts.keys();
        this.#mounts.delete(oldest);
      }
      this.#mounts.set(session, mount);
    }
  }

  /** Did one of these begin elsewhere? */
  isOfOther(sessions: readonly string[], mount: string): boolean {
    return sessions.some((session) => (this.#mounts.get(session) ?? mount) !== mount);
  }
}
