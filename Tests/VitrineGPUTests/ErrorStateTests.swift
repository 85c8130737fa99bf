import CWebGPU
import Dispatch
import Testing

@testable import VitrineGPU

/// Conversion of reports of the implementation into errors, without a device.
@Suite struct ErrorStateTests {
    @Test func errorTypesAreReported() {
        let state = DeviceState()
        state.record(
            type: WGPUErrorType_OutOfMemory,
            message: "Out of Memory\n\nCaused by:\n  In wgpuDeviceCreateTexture, label = 'big'\n    Not enough memory left.\n")
        state.record(
            type: WGPUErrorType_Internal,
            message: "Internal Error\n\nCaused by:\n  In wgpuDeviceCreateRenderPipeline, label = 'p'\n    LLVM\n")
        guard case .outOfMemory("big", _) = state.takeOldest(), case .internal("p", "LLVM") = state.takeOldest() else {
            Issue.record("wrong error types")
            return
        }
        #expect(state.takeOldest() == nil)
    }

    /// Reports may come from any thread.
    @Test func reportsFromSeveralThreads() {
        nonisolated(unsafe) let state = DeviceState()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for i in 0..<1000 { state.record(.validation(resource: "\(thread)", message: "\(i)")) }
        }
        #expect(state.mark == 8000)
        for _ in 0..<64 { #expect(state.takeOldest() != nil) }
        #expect(state.takeOldest()?.description.contains("7936 further errors") == true)
        #expect(state.takeOldest() == nil)
    }

    @Test func textOfErrors() {
        let text = ErrorText(
            "Validation Error\n\nCaused by:\n  In wgpuDeviceCreateBuffer, label = 'it's mine'\n    Buffer size 8 is too large\n      second line\n\n"
        )
        #expect(text.label == "it's mine")
        #expect(text.body == "Buffer size 8 is too large; second line")
        #expect(!text.reportsDeviceLoss)
        #expect(ErrorText("Parent device is lost").reportsDeviceLoss)
        #expect(ErrorText("").body == "")
        #expect(shaderMessages("nonsense") == [GPUShaderMessage(line: 0, column: 0, text: "nonsense")])
    }
}
