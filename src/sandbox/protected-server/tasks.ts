import { randomUUID } from 'node:crypto';
import { ProtocolError } from '@modelcontextprotocol/server';

/** The extension by its full name (SEP-2663). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** How long a task is kept from its beginning on, and how often to ask for it. In milliseconds. */
const ttlMs = 300_000;
const pollIntervalMs = 200;

const maxTasks = 1_000;

type Members = Readonly<Record<string, unknown>>;

/** What a task does to be seen, and to ask. */
export interface TaskWork {
  readonly signal: AbortSignal;
  say(statusMessage: string): void;
  /** Waits for the response to a question. */
  ask(key: string, request: Members): Promise<Members>;
}

interface Task {
  readonly id: string;
  /** Nobody else may see it. */
  readonly owner: string;
  readonly createdAt: number;
  readonly ending: AbortController;
  readonly asked: Map<string, { readonly request: Members; readonly respond: (response: Members) => void }>;
  updatedAt: number;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  message: string | undefined;
  /** `result` or `error`, once it has ended. */
  outcome: Members;
}

/** Tasks of all callers, in memory. */
export class TaskStore {
  readonly #tasks = new Map<string, Task>();

  /** Begins a task. @returns How it is, as the result of the request that it is made of. */
  begin(owner: string, work: (task: TaskWork) => Promise<Members>): Members {
    this.#forgetOld();
    const now = Date.now();
    const ending = new AbortController();
    const given = { id: randomUUID(), owner, createdAt: now, ending, asked: new Map(), updatedAt: now };
    const task: Task = { ...given, status: 'working', message: undefined, outcome: {} };
    this.#tasks.set(task.id, task);
    void run(task, work);
    return { ...stateOf(task), resultType: 'task' };
  }

  /** How a task is. @throws ProtocolError for one that is unknown, or another's */
  get(owner: string, id: string): Members {
    const task = this.#find(owner, id);
    const requests = [...task.asked].map(([key, { request }]) => [key, request]);
    const inputRequests = task.status === 'input_required' ? { inputRequests: Object.fromEntries(requests) } : {};
    return { ...stateOf(task), ...inputRequests, ...task.outcome };
  }

  /** Takes responses; those that nobody waits for are ignored. @throws as `get` */
  update(owner: string, id: string, responses: Members): void {
    const task = this.#find(owner, id);
    for (const [key, { respond }] of [...task.asked]) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (typeof response !== 'object' || response === null) continue;
      task.asked.delete(key);
      if (task.asked.size === 0 && task.status === 'input_required') change(task, 'working');
      respond(response as Members);
    }
  }

  /** @throws as `get` */
  cancel(owner: string, id: string): void {
    const task = this.#find(owner, id);
    if (hasEnded(task)) return;
    change(task, 'cancelled', 'Cancelled by the client.');
    task.ending.abort();
  }

  close(): void {
    for (const { ending } of this.#tasks.values()) ending.abort();
    this.#tasks.clear();
  }

  #find(owner: string, id: string): Task {
    this.#forgetOld();
    const task = this.#tasks.get(id);
    if (task?.owner !== owner) throw new ProtocolError(-32_602, 'Task not found');
    return task;
  }

  #forgetOld(): void {
    const now = Date.now();
    for (const [id, task] of this.#tasks) {
      if (now - task.createdAt < ttlMs && this.#tasks.size < maxTasks) continue;
      task.ending.abort();
      this.#tasks.delete(id);
    }
  }
}

async function run(task: Task, work: (task: TaskWork) => Promise<Members>): Promise<void> {
  const { signal } = task.ending;
  const say = (message: string) => change(task, task.status, message);
  const ask = (key: string, request: Members) =>
    new Promise<Members>((respond, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      task.asked.set(key, { request, respond });
      change(task, 'input_required');
    });
  try {
    const result = await work({ signal, say, ask });
    if (hasEnded(task)) return;
    task.outcome = { result };
    change(task, 'completed');
  } catch (error) {
    if (hasEnded(task)) return;
    const message = error instanceof Error ? error.message : String(error);
    task.outcome = { error: { code: -32_603, message } };
    change(task, 'failed', message);
  }
}

function change(task: Task, status: Task['status'], message = task.message): void {
  if (hasEnded(task)) return;
  Object.assign(task, { status, message, updatedAt: Date.now() });
}

function hasEnded({ status }: Task): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

function stateOf({ id, status, message, createdAt, updatedAt }: Task): Members {
  return {
    taskId: id,
    status,
    ...(message === undefined ? {} : { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}
