#pragma once

#include "agent/http.h"
#include "agent/reply.h"

#include <microhttpd.h>

namespace agent {

Request make_request(MHD_Connection* handle, const char* method, const char* path);

/// MHD_NO: the connection is to be closed.
MHD_Result send_reply(MHD_Connection* handle, const Reply& reply);

} // namespace agent
