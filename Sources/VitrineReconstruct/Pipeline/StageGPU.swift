import Synchronization
import VitrineDense
import VitrineDenseGPU
import VitrineGPU
import VitrineVision

/// The GPU that estimates depth.
typealias DepthGPU = StageGPU<any SweepRunner>

/// The GPU that matches features.
typealias MatchingGPU = StageGPU<any DescriptorSearch>

/// The GPU of a stage; its device is created at the first use.
final class StageGPU<Runner: Sendable>: Sendable {
    struct Device: Sendable {
        let runner: Runner
        /// The adapter.
        let name: String
        let isSoftware: Bool
    }

    private let adapter: GPUAdapterChoice
    private let make: @Sendable (GPUAdapterChoice) throws -> Device
    private let device = Mutex<Device?>(nil)

    /// - Parameters:
    ///   - adapter: As the text of `GPUAdapterChoice`.
    ///   - make: Creates a device.
    init(adapter: String = "", make: @escaping @Sendable (GPUAdapterChoice) throws -> Device) {
        (self.adapter, self.make) = (GPUAdapterChoice(parsing: adapter), make)
    }

    /// Does the work on a device. The processor does all of it again if the GPU that was chosen automatically fails.
    ///
    /// - Parameters:
    ///   - choice: `.automatic` uses a hardware adapter only.
    ///   - work: Its parameter is whether it uses this GPU.
    /// - Throws: The errors of `work`; with `.gpu`, a `DenseGPUError` too.
    func run<Result>(
        _ choice: PhotogrammetrySession.Configuration.ComputeDevice, in context: StageContext, _ work: (_ isOnGPU: Bool) throws -> Result
    ) throws -> Result {
        defer { close() }
        switch choice {
        case .cpu: return try work(false)
        case .gpu: return try work(true)
        case .automatic:
            guard openHardware() != nil else { return try work(false) }
            do {
                return try work(true)
            } catch let error as DenseGPUError {
                context.warn("The GPU failed, and the processor does all of its work: \(error)")
                return try work(false)
            }
        }
    }

    /// The device for a stage; warns if it is a software renderer.
    ///
    /// - Throws: `DenseGPUError` if there is none.
    func open(in context: StageContext) throws -> Runner {
        let device = try open()
        if device.isSoftware { context.warn("The GPU is a software renderer (\(device.name)), which is slower than the processor itself") }
        return device.runner
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

extension DepthGPU {
    convenience init(adapter: String = "") {
        self.init(adapter: adapter) { choice in
            let runner = try GPUSweepRunner(choice)
            return Device(runner: runner, name: runner.adapter, isSoftware: runner.isSoftware)
        }
    }
}

extension MatchingGPU {
    convenience init(adapter: String = "") {
        self.init(adapter: adapter) { choice in
            let search = try GPUDescriptorSearch(choice)
            return Device(runner: search, name: search.adapter, isSoftware: search.isSoftware)
        }
    }
}

extension PhotogrammetrySession.Configuration {
    /// The device on this machine: the GPU for `.automatic` only if its adapter is hardware.
    package var resolvedDevice: ComputeDevice {
        switch computeDevice {
        case .automatic: DepthGPU(adapter: computeAdapter).openHardware() == nil ? .cpu : .gpu
        case .cpu, .gpu: computeDevice
        }
    }

    /// Checks that the device exists.
    ///
    /// - Throws: `ReconstructionError.unsupported`.
    package func checkDevice() throws {
        guard computeDevice == .gpu else { return }
        do {
            _ = try DepthGPU(adapter: computeAdapter).open()
        } catch let error as DenseGPUError {
            throw ReconstructionError.unsupported(error.description)
        }
    }
}
