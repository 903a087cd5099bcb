import { exitCode, Failure } from '../core/failure.js';
import type { Clock } from '../core/ports.js';
import { asObject, type JsonObject, jsonWords, stringField } from '../core/text/json.js';
import { quoted } from '../core/text/printable.js';
import { within } from '../core/time.js';
import { maxInputs } from '../mcp/eras.js';
import { CallRefused, HttpFailed, protocolBroken } from '../mcp/failures.js';
import { callRefused, taskCancelled, taskEnded } from './failures.js';

/** The extension by its full name (SEP-2663): only those who both declare it have tasks. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The only method that a server may turn into a task. */
const mayBeTask = 'tools/call';

/** Between two questions how a task is, in milliseconds: what a server wishes is kept within the two. */
const pause = { usual: 1_000, min: 100, max: 30_000 } as const;

/** How long a server may take to say that it has heard the end of a task. */
const cancelMs = 2_000;

/** How often in a row the server may not be reached while a task runs. */
const maxLost = 5;

/** Most questions that one task may have. */
const maxQuestions = 100;

/** Longest id that is put into a header. */
const longestId = 1_024;

/** What ends a task before the rest: until it is disposed, a Ctrl-C ends only what the signal ends. */
export type DuringTask = () => Disposable & { readonly signal: AbortSignal };

export interface TaskParts {
  /** What the server is called in failures. */
  readonly server: string;
  readonly clock: Clock;
  /** Sends one request of the newer era. @throws CallRefused, and what else the conversation throws */
  readonly send: (method: string, params: JsonObject, cancelled: AbortSignal | undefined) => Promise<JsonObject>;
  /** What the person says to a question of the server. */
  readonly ask: (request: JsonObject, cancelled: AbortSignal | undefined) => Promise<JsonObject>;
  /** Takes each new state of the task until it ends, as `notifications/tasks` has it. */
  readonly notify: (task: JsonObject) => unknown;
  readonly during: DuringTask | undefined;
  /** Ends the conversation. */
  readonly signal: AbortSignal;
}

/**
 * Asks how a task is until it has ended, and answers what it asks for. Its result is that of the request which it was
 * made for. Whoever ends it tells the server, which may take two seconds to say that it has heard.
 * @param created What came instead of a result.
 * @throws Failure `call_failed`, `protocol_broken`, as `send` and `ask`; what ended it, with what became of the task
 */
export async function followTask(
  parts: TaskParts,
  created: JsonObject,
  cancelled: AbortSignal | undefined,
): Promise<JsonObject> {
  const taskId = stringField(created, 'taskId') ?? '';
  if (taskId === '' || taskId.length > longestId) throw protocolBroken(parts.server, 'its task has no usable id');
  using during = parts.during?.();
  const signal = AbortSignal.any([cancelled, during?.signal].filter((one) => one !== undefined));
  const task = new RunningTask(parts, taskId, signal);
  try {
    return await task.result(created);
  } catch (error) {
    if (!signal.aborted || parts.signal.aborted || !(signal.reason instanceof Failure)) throw error;
    throw taskEnded(signal.reason, await cancelTask(parts, taskId));
  }
}

class RunningTask {
  readonly #parts: TaskParts;
  readonly #taskId: string;
  readonly #signal: AbortSignal;
  readonly #awake: AbortSignal;
  /** Keys of questions: each is asked once, though it may come again until the server has the answer. */
  readonly #asked = new Set<string>();
  #shown = '';

  constructor(parts: TaskParts, taskId: string, signal: AbortSignal) {
    this.#parts = parts;
    this.#taskId = taskId;
    this.#signal = signal;
    this.#awake = AbortSignal.any([signal, parts.signal]);
  }

  async result(created: JsonObject): Promise<JsonObject> {
    const { clock, server } = this.#parts;
    await this.#show(created);
    // What it was made with says no more than how it is: result, error and questions come when it is asked for.
    let wait = created['status'] === 'working' ? pauseOf(created) : 0;
    for (;;) {
      await clock.sleep(wait, this.#awake);
      const task = await this.#now();
      await this.#show(task);
      wait = pauseOf(task);
      switch (task['status']) {
        case 'completed':
          return resultOf(server, task);
        case 'failed':
          throw failureOf(task);
        case 'cancelled':
          throw taskCancelled(stringField(task, 'statusMessage'));
        case 'input_required':
          await this.#respond(asObject(task['inputRequests']) ?? {});
          break;
        case 'working':
          break;
        default:
          throw protocolBroken(
            server,
            `its task is ${quoted(jsonWords(task['status'], 'none'), 40)}, which no task can be`,
          );
      }
    }
  }

  /** A task outlives a connection: the server is asked again where it could not be reached. */
  async #now(): Promise<JsonObject> {
    const { server, send, clock } = this.#parts;
    for (let lost = 0; ; lost += 1) {
      try {
        const task = await send('tasks/get', { taskId: this.#taskId }, this.#signal);
        if (task['taskId'] === this.#taskId) return task;
        throw protocolBroken(server, 'it tells of another task than it was asked for');
      } catch (error) {
        if (lost === maxLost || !isPassing(error)) throw error;
      }
      await clock.sleep(pause.usual * 2 ** lost, this.#awake);
    }
  }

  async #respond(requests: JsonObject): Promise<void> {
    const { server, ask, send } = this.#parts;
    const responses: [string, JsonObject][] = [];
    const entries = Object.entries(requests);
    if (entries.length > maxInputs) throw protocolBroken(server, `it asks ${entries.length} things at a time`);
    for (const [key, request] of entries) {
      if (this.#asked.has(key)) continue;
      if (this.#asked.size === maxQuestions) throw protocolBroken(server, 'its task asks for ever');
      this.#asked.add(key);
      responses.push([key, await ask(asObject(request) ?? {}, this.#signal)]);
    }
    if (responses.length === 0) return;
    const inputResponses = Object.fromEntries(responses);
    await send('tasks/update', { taskId: this.#taskId, inputResponses }, this.#signal);
  }

  async #show(task: JsonObject): Promise<void> {
    const { status } = task;
    const state = JSON.stringify([status, task['statusMessage']]);
    if (state === this.#shown || !(status === 'working' || status === 'input_required')) return;
    this.#shown = state;
    await this.#parts.notify({ ...task, taskId: this.#taskId });
  }
}

function pauseOf({ pollIntervalMs: named }: JsonObject): number {
  return typeof named === 'number' ? Math.min(Math.max(named, pause.min), pause.max) : pause.usual;
}

function resultOf(server: string, task: JsonObject): JsonObject {
  const result = asObject(task['result']);
  const { resultType: type = 'complete' } = result ?? {};
  if (result === undefined || type !== 'complete') throw protocolBroken(server, 'its task has ended without a result');
  return result;
}

function failureOf(task: JsonObject): CallRefused {
  const { code, message, data } = asObject(task['error']) ?? {};
  const said = typeof message === 'string' ? message : (stringField(task, 'statusMessage') ?? '');
  return callRefused(mayBeTask, { code: typeof code === 'number' ? code : 0, message: said, data });
}

function isPassing(error: unknown): boolean {
  const isOfHttp = error instanceof HttpFailed || error instanceof CallRefused;
  if (isOfHttp) return error.status !== undefined && (error.status >= 500 || error.status === 429);
  return error instanceof Failure && error.exit === exitCode.network;
}

/** Tells the server that nobody waits for the task any more. A sentence on what became of that. */
async function cancelTask({ send, clock }: TaskParts, taskId: string): Promise<string> {
  const ending = new AbortController();
  let isHeard = false;
  const work = async () => {
    await send('tasks/cancel', { taskId }, ending.signal);
    isHeard = true;
    const { status } = await send('tasks/get', { taskId }, ending.signal);
    if (status === 'cancelled') return 'The server has ended its task.';
    if (status === 'completed' || status === 'failed') return 'Its task had ended before.';
    return undefined;
  };
  const said = await within(clock, cancelMs, work().catch(whyNot));
  ending.abort();
  if (isHeard) return said ?? 'The server has heard it, and may go on with its task for a while.';
  return said ?? 'The server has not answered to that, and may go on with its task.';
}

function whyNot(error: unknown): string | undefined {
  if (!(error instanceof CallRefused)) return undefined;
  return error.error.code === taskUnknown
    ? 'Its task had ended: the server no longer knows it.'
    : `It may go on with its task: ${error.message}`;
}

const taskUnknown = -32602;
