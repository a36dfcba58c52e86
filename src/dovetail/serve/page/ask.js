// How a server is asked. The token comes in the part of the address that is never sent.

const KEPT = "dovetail-token";

const told = new URLSearchParams(location.hash.slice(1));
if (told.get("token")) {
  sessionStorage.setItem(KEPT, told.get("token"));
  told.delete("token");
  history.replaceState(null, "", `${location.pathname}${told.size ? `#${told}` : ""}`);
}

export function keepToken(token) {
  sessionStorage.setItem(KEPT, token);
}

/** An answer that is no answer: a sentence, the status, and all that was said. */
export class Refusal extends Error {
  constructor(status, sentence, answer = {}) {
    super(sentence);
    this.status = status;
    this.answer = answer;
  }
}

/** The server's answer, parsed; a body makes it a POST where no method is given. */
export async function ask(path, options = {}) {
  const response = await send(path, options);
  return response.json().catch(() => {
    throw new Refusal(0, "The server's answer broke off. Is it still running?");
  });
}

/** The server's answer as it comes, for streams and downloads. */
export async function send(path, { body, method = body ? "POST" : "GET", signal } = {}) {
  const headers = {};
  const token = sessionStorage.getItem(KEPT);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "The server does not answer. Is it still running?");
  }
  if (!response.ok) {
    const answer = await response.json().catch(() => ({ error: `The server said ${response.status}.` }));
    throw new Refusal(response.status, answer.error, answer);
  }
  return response;
}
