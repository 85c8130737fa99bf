import VitrineGPU
import VitrineScene

/// A shader to compile before a scene can be drawn. Takes longer than a frame and may run on any thread; pass the result to
/// `Renderer.take`.
///
/// Unchecked: WebGPU devices make modules, layouts and pipelines on any thread, `DeviceState` records their errors under a lock, and all
/// other state here is constant, or created here and not shared before the result is passed on. If two threads fail at the same
/// moment, one may also report the other's error; neither uses an object whose creation failed.
package struct ShaderWork: @unchecked Sendable {
    enum Task {
        case program(SurfaceProgramKey, number: Int, GPUDevice, frame: GPUBindGroupLayout, SurfaceFunction?)
        case pipeline(PipelineName, () throws(GPUError) -> GPURenderPipeline)
        case prefilter(GPUDevice)
    }

    let task: Task

    /// The result of the work. Unchecked Sendable: its parts are not shared before `Renderer.take` has them.
    package struct Result: @unchecked Sendable {
        enum Outcome {
            case program(SurfaceProgramKey, SurfaceProgram)
            case pipeline(PipelineName, GPURenderPipeline)
            case prefilter(EnvironmentPrefilter)
        }

        let outcome: Outcome
    }

    package func run() throws(RenderError) -> Result {
        switch task {
        case .program(let key, let number, let device, let frame, let function):
            return Result(outcome: .program(key, try SurfaceProgram(device, key, number: number, frame: frame, function: function)))
        case .pipeline(let name, let make):
            return try attempting("compiling a shader") { () throws(GPUError) in Result(outcome: .pipeline(name, try make())) }
        case .prefilter(let device):
            return try attempting("preparing environments") { () throws(GPUError) in
                Result(outcome: .prefilter(try EnvironmentPrefilter(device: device)))
            }
        }
    }
}
