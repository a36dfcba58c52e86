// What the service is asked. The token comes in the part of the address that is never sent.

const KEPT = "dovetail-token";

const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem(KEPT, given);
  history.replaceState(null, "", location.pathname);
}

export function keepToken(token) {
  sessionStorage.setItem(KEPT, token);
}

/** An answer that is no answer: a sentence, and the status. */
export class Refusal extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

async function ask(path, body, signal) {
  const headers = {};
  const token = sessionStorage.getItem(KEPT);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  const method = body ? "POST" : "GET";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "The service does not answer. Is it still running?");
  }
  const answer = await response.json().catch(() => ({ error: `The service said ${response.status}.` }));
  if (!response.ok) throw new Refusal(response.status, answer.error);
  return answer;
}

export const listModels = () => ask("v1/models");
export const tag = (request, signal) => ask("v1/tag", request, signal);
export const explain = (request, signal) => ask("v1/explain", request, signal);
