// config.h - What the runtime reads out of a configuration.
#ifndef BERTH_RUNTIME_CONFIG_H_
#define BERTH_RUNTIME_CONFIG_H_

#include "berth/config.h"

// Returns the style of logs and error texts: that of BERTH_PLACEMENT_LOG in the
// environment ("default", "tf2", "classic"), else the configuration's.
berth_log_style_t berth_config_style(const berth_config_t *config);

// Returns how many programs a session keeps: at least one.
int berth_config_max_programs(const berth_config_t *config);

#endif  // BERTH_RUNTIME_CONFIG_H_
