// cl_functions -- every function of OpenCL that this package calls, for whoever defines the two macros.
//
//   CL_REQUIRED(result, name, parameters)    of OpenCL 1.0 and 1.1: a library without one of them is none
//   CL_SINCE_1_2(result, name, parameters)   a library or driver of OpenCL 1.1 lacks it
//
// No include guard: it is included once for each use of the list.

CL_REQUIRED(cl_int, clGetPlatformIDs, cl_uint room, cl_platform_id* platforms, cl_uint* count)
CL_REQUIRED(cl_int, clGetPlatformInfo, cl_platform_id platform, cl_platform_info what, std::size_t room, void* target,
            std::size_t* needed)
CL_REQUIRED(cl_int, clGetDeviceIDs, cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id* devices,
            cl_uint* count)
CL_REQUIRED(cl_int, clGetDeviceInfo, cl_device_id device, cl_device_info what, std::size_t room, void* target,
            std::size_t* needed)

CL_REQUIRED(cl_context, clCreateContext, const cl_context_properties* properties, cl_uint count,
            const cl_device_id* devices, void(CL_CALLBACK* notify)(const char*, const void*, std::size_t, void*),
            void* data, cl_int* status)
CL_REQUIRED(cl_int, clReleaseContext, cl_context context)

CL_REQUIRED(cl_command_queue, clCreateCommandQueue, cl_context context, cl_device_id device,
            cl_command_queue_properties properties, cl_int* status)
CL_REQUIRED(cl_int, clRetainCommandQueue, cl_command_queue queue)
CL_REQUIRED(cl_int, clReleaseCommandQueue, cl_command_queue queue)
CL_REQUIRED(cl_int, clFlush, cl_command_queue queue)
CL_REQUIRED(cl_int, clFinish, cl_command_queue queue)

CL_REQUIRED(cl_mem, clCreateBuffer, cl_context context, cl_mem_flags flags, std::size_t bytes, void* data,
            cl_int* status)
CL_REQUIRED(cl_mem, clCreateSubBuffer, cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void* region,
            cl_int* status)
CL_REQUIRED(cl_int, clReleaseMemObject, cl_mem memory)
CL_REQUIRED(cl_int, clEnqueueReadBuffer, cl_command_queue queue, cl_mem memory, cl_bool wait, std::size_t offset,
            std::size_t bytes, void* target, cl_uint n_before, const cl_event* before, cl_event* event)
CL_REQUIRED(cl_int, clEnqueueWriteBuffer, cl_command_queue queue, cl_mem memory, cl_bool wait, std::size_t offset,
            std::size_t bytes, const void* source, cl_uint n_before, const cl_event* before, cl_event* event)
CL_REQUIRED(void*, clEnqueueMapBuffer, cl_command_queue queue, cl_mem memory, cl_bool wait, cl_map_flags flags,
            std::size_t offset, std::size_t bytes, cl_uint n_before, const cl_event* before, cl_event* event,
            cl_int* status)
CL_REQUIRED(cl_int, clEnqueueUnmapMemObject, cl_command_queue queue, cl_mem memory, void* mapped, cl_uint n_before,
            const cl_event* before, cl_event* event)

CL_REQUIRED(cl_program, clCreateProgramWithSource, cl_context context, cl_uint count, const char** texts,
            const std::size_t* lengths, cl_int* status)
CL_REQUIRED(cl_program, clCreateProgramWithBinary, cl_context context, cl_uint count, const cl_device_id* devices,
            const std::size_t* lengths, const unsigned char** binaries, cl_int* each, cl_int* status)
CL_REQUIRED(cl_int, clReleaseProgram, cl_program program)
CL_REQUIRED(cl_int, clBuildProgram, cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
            void(CL_CALLBACK* notify)(cl_program, void*), void* data)
CL_SINCE_1_2(cl_int, clCompileProgram, cl_program program, cl_uint count, const cl_device_id* devices,
             const char* options, cl_uint n_headers, const cl_program* headers, const char** names,
             void(CL_CALLBACK* notify)(cl_program, void*), void* data)
CL_SINCE_1_2(cl_program, clLinkProgram, cl_context context, cl_uint count, const cl_device_id* devices,
             const char* options, cl_uint n_programs, const cl_program* programs,
             void(CL_CALLBACK* notify)(cl_program, void*), void* data, cl_int* status)
CL_REQUIRED(cl_int, clGetProgramInfo, cl_program program, cl_program_info what, std::size_t room, void* target,
            std::size_t* needed)
CL_REQUIRED(cl_int, clGetProgramBuildInfo, cl_program program, cl_device_id device, cl_program_build_info what,
            std::size_t room, void* target, std::size_t* needed)

CL_REQUIRED(cl_kernel, clCreateKernel, cl_program program, const char* name, cl_int* status)
CL_REQUIRED(cl_int, clCreateKernelsInProgram, cl_program program, cl_uint room, cl_kernel* kernels, cl_uint* count)
CL_REQUIRED(cl_int, clReleaseKernel, cl_kernel kernel)
CL_REQUIRED(cl_int, clSetKernelArg, cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value)
CL_REQUIRED(cl_int, clGetKernelInfo, cl_kernel kernel, cl_kernel_info what, std::size_t room, void* target,
            std::size_t* needed)
CL_SINCE_1_2(cl_int, clGetKernelArgInfo, cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, std::size_t room,
             void* target, std::size_t* needed)
CL_REQUIRED(cl_int, clGetKernelWorkGroupInfo, cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
            std::size_t room, void* target, std::size_t* needed)
CL_REQUIRED(cl_int, clEnqueueNDRangeKernel, cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
            const std::size_t* offset, const std::size_t* global, const std::size_t* group, cl_uint n_before,
            const cl_event* before, cl_event* event)

CL_REQUIRED(cl_int, clGetEventInfo, cl_event event, cl_event_info what, std::size_t room, void* target,
            std::size_t* needed)
CL_REQUIRED(cl_int, clGetEventProfilingInfo, cl_event event, cl_profiling_info what, std::size_t room, void* target,
            std::size_t* needed)
CL_REQUIRED(cl_int, clReleaseEvent, cl_event event)
