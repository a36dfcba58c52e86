// What the server of the studio is asked.

import { ask, send } from "./ask.js";

const query = (values) => new URLSearchParams(values).toString();

export const getProject = () => ask("api/project");
export const changeSettings = (body) => ask("api/settings", { method: "PUT", body });
export const getLabels = () => ask("api/labels");
export const changeLayers = (body) => ask("api/layers", { method: "PUT", body });
export const listDocuments = (values, signal) => ask(`api/documents?${query(values)}`, { signal });
export const getDocument = (id) => ask(`api/documents/${id}`);
export const post = (path, body) => ask(path, { body });
export const getNext = (after) => ask(`api/next?${query(after == null ? {} : { after })}`);
export const getSuggestions = (documents) => ask(`api/suggestions?${query({ documents: documents.join() })}`);
export const getQuestion = (layer, skipped) => ask(`api/questions?${query({ layer, skip: skipped.join() })}`);
export const getProgress = (layer) => ask(`api/progress?${query({ layer })}`);
export const getSuspicious = (layer) => ask(`api/suspicious?${query({ layer })}`);
export const getAgreement = () => ask("api/agreement");
export const compare = (id, layer) => ask(`api/documents/${id}/compare?${query({ layer })}`);
export const getExport = (values) => send(`api/export?${query(values)}`);

/** Calls `hear` with the name and the data of each event, as long as the server is there. */
export async function listen(hear) {
  for (;;) {
    try {
      const { body } = await send("api/events");
      await readEvents(body.getReader(), hear);
    } catch {
      // the outbox shows whether the server is away
    }
    await new Promise((wake) => setTimeout(wake, 2000));
  }
}

async function readEvents(reader, hear) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
    rest = events.pop();
    for (const event of events) {
      const name = /^event: ?(.*)$/m.exec(event)?.[1] ?? "message";
      const data = [...event.matchAll(/^data: ?(.*)$/gm)].map((match) => match[1]).join("\n");
      if (data) hear(name, JSON.parse(data));
    }
  }
}
