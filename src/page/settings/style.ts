// In the order of their weight.
import "../finding/finding.css";
import "../playback/motion/motion.css";
import "./analysers/analysers.css";
import "./cameras/cameras.css";
import "./cameras/week/week.css";
import "./cameras/motion/zones.css";
import "./disks/disks.css";
import "./log/log.css";
import "./maintenance/maintenance.css";
import "./network/network.css";
import "./settings.css";
import "./system/system.css";
import "./users/users.css";
