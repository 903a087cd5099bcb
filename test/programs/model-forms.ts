/** A call of a tool that the model asks for. */
export interface WantedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly output?: unknown;
}

/** By itself, or in a namespace of several. */
interface OfferedTool {
  readonly name?: string;
  readonly function?: { readonly name: string };
  readonly tools?: readonly { readonly name: string }[];
}

/** The names of the tools that a model is offered; of those in a namespace `NAMESPACE/NAME`. */
export function offeredNames({ tools = [] }: Asked): readonly string[] {
  return tools.flatMap(
    (tool) => tool.tools?.map(({ name }) => `${tool.name}/${name}`) ?? tool.function?.name ?? tool.name ?? [],
  );
}

/** What an agent asks of a model, as far as it is looked at here. */
export interface Asked {
  readonly stream?: boolean;
  readonly tools?: readonly OfferedTool[];
  readonly messages?: readonly Item[];
  readonly input?: readonly Item[];
}

type Json = Readonly<Record<string, unknown>>;

/** One protocol: what tools have returned, and what the model says, whole or as events. */
export interface ModelForm {
  readonly path: string;
  results(asked: Asked): readonly unknown[];
  whole(call: WantedCall | undefined): Json;
  events(call: WantedCall | undefined): readonly Json[];
}

const usage = { input_tokens: 1, output_tokens: 1, prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** OpenAI's chat completions. */
const completions: ModelForm = {
  path: '/chat/completions',
  results: ({ messages = [] }) => messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
  whole: (call) => ({
    ...aboutCompletion('chat.completion'),
    choices: [{ index: 0, finish_reason: finish(call), message: completionMessage(call) }],
  }),
  events: (call) => {
    const chunk = aboutCompletion('chat.completion.chunk');
    return [
      { ...chunk, choices: [{ index: 0, delta: completionMessage(call), finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish(call) }] },
    ];
  },
};

function aboutCompletion(object: string): Json {
  return { id: 'chatcmpl-1', object, created: 1_700_000_000, model: 'fake', usage };
}

function finish(call: WantedCall | undefined): string {
  return call === undefined ? 'stop' : 'tool_calls';
}

function completionMessage(call: WantedCall | undefined): Json {
  if (call === undefined) return { role: 'assistant', content: 'done' };
  const fields = { name: call.name, arguments: JSON.stringify(call.input) };
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: fields }],
  };
}

/** OpenAI's responses. */
const responses: ModelForm = {
  path: '/responses',
  results: ({ input = [] }) => input.filter(({ type }) => type === 'function_call_output').map(({ output }) => output),
  whole: (call) => ({ id: 'resp_1', object: 'response', status: 'completed', usage, output: [responseItem(call)] }),
  events: (call) => [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item: responseItem(call) },
    { type: 'response.completed', response: responses.whole(call) },
  ],
};

function responseItem(call: WantedCall | undefined): Json {
  if (call === undefined) {
    return { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
  }
  const [name, namespace] = call.name.split('/').reverse();
  const fields = { name, ...(namespace === undefined ? {} : { namespace }), arguments: JSON.stringify(call.input) };
  return { type: 'function_call', id: 'fc_1', call_id: 'call_1', ...fields };
}

/** Anthropic's messages. */
const messages: ModelForm = {
  path: '/messages',
  results: (asked) =>
    (asked.messages ?? [])
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => content),
  whole: (call) => ({ ...aboutMessage(call), content: [messageBlock(call)] }),
  events: (call) => {
    const { stop_reason, ...message } = aboutMessage(call);
    const start = call === undefined ? { type: 'text', text: '' } : { ...messageBlock(call), input: {} };
    const delta =
      call === undefined
        ? { type: 'text_delta', text: 'done' }
        : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) };
    return [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
  },
};

function aboutMessage(call: WantedCall | undefined) {
  const stop_reason = call === undefined ? 'end_turn' : 'tool_use';
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'fake', stop_reason, stop_sequence: null, usage };
}

function messageBlock(call: WantedCall | undefined): Json {
  return call === undefined ? { type: 'text', text: 'done' } : { type: 'tool_use', id: 'toolu_1', ...call };
}

export const modelForms: readonly ModelForm[] = [completions, responses, messages];
