import Synchronization
import VitrineDense
import VitrineDenseGPU
import VitrineGPU

/// The GPU that estimates depth; its device is created at the first use.
final class DepthGPU: Sendable {
    struct Device: Sendable {
        let runner: any SweepRunner
        /// The adapter.
        let name: String
        let isSoftware: Bool
    }

    private let adapter: GPUAdapterChoice
    private let make: @Sendable (GPUAdapterChoice) throws -> Device
    private let device = Mutex<Device?>(nil)

    /// - Parameters:
    ///   - adapter: As the text of `GPUAdapterChoice`.
    ///   - make: Creates a device; another one in tests.
    init(
        adapter: String = "",
        make: @escaping @Sendable (GPUAdapterChoice) throws -> Device = { choice in
            let runner = try GPUSweepRunner(choice)
            return Device(runner: runner, name: runner.adapter, isSoftware: runner.isSoftware)
        }
    ) {
        (self.adapter, self.make) = (GPUAdapterChoice(parsing: adapter), make)
    }

    /// The device on the best adapter, a software renderer too.
    ///
    /// - Throws: `DenseGPUError` if there is none.
    func open() throws -> Device { try open(adapter) }

    /// The device if its adapter is hardware; nil if there is only a software renderer, or none.
    func openHardware() -> Device? {
        guard let device = try? open(adapter == .automatic ? .hardware : adapter) else { return nil }
        if !device.isSoftware { return device }
        close()
        return nil
    }

    private func open(_ choice: GPUAdapterChoice) throws -> Device {
        try device.withLock { device in
            if let device { return device }
            let opened = try make(choice)
            device = opened
            return opened
        }
    }

    /// Releases the device and its memory.
    func close() { device.withLock { $0 = nil } }
}

extension PhotogrammetrySession.Configuration {
    /// The device for depth on this machine: the GPU for `.automatic` only if its adapter is hardware.
    package var resolvedDepthDevice: DepthDevice {
        switch depthDevice {
        case .automatic: DepthGPU(adapter: depthAdapter).openHardware() == nil ? .cpu : .gpu
        case .cpu, .gpu: depthDevice
        }
    }

    /// Checks that the device for depth exists.
    ///
    /// - Throws: `ReconstructionError.unsupported`.
    package func checkDepthDevice() throws {
        guard depthDevice == .gpu else { return }
        do {
            _ = try DepthGPU(adapter: depthAdapter).open()
        } catch let error as DenseGPUError {
            throw ReconstructionError.unsupported(error.description)
        }
    }
}
