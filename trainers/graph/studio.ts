/** What LangGraph Studio and `langgraph.json` open of this folder: the trainer, whose runs are begun by an input (studio-trainings.ts). */
import { studioTrainings } from "./studio-trainings.ts";
import { createTrainerGraph } from "./trainer.ts";

export const trainer = async () => createTrainerGraph(studioTrainings(process.env));
