import { sessionDriverContract } from "../contracts/session-driver.ts";
import { throughGraph } from "../support/sessions.ts";

sessionDriverContract("LangGraph", throughGraph);
