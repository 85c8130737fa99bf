import CWebGPU

public func gpuVersion() -> UInt32 { wgpuGetVersion() }
