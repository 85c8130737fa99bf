internal import CWebGPU

extension GPUInstance {
    /// The version of wgpu-native in use, as "29.0.1.1".
    package static var libraryVersion: String {
        let version = wgpuGetVersion()
        let parts = [version >> 24, (version >> 16) & 255, (version >> 8) & 255, version & 255]
        return parts.map { "\($0)" }.joined(separator: ".")
    }
}
