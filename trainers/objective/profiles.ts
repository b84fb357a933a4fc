/** The engines we know, for those who only compile; they are the learner client's. */
export { type ProfileName, profileFrom, profiles } from "../../learner/engines/engine-profiles.ts";
