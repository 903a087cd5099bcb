// Every progress that comes in on a transport, oldest first: the SDK's client drops what it reads together with the answer.
export function watchProgress(transport) {
  const came = [];
  const { onmessage } = transport;
  transport.onmessage = (message, ...more) => {
    if (message.method === 'notifications/progress') came.push(message.params.progress);
    return onmessage.call(transport, message, ...more);
  };
  return came;
}
