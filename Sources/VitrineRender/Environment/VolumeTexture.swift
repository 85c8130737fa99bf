import VitrineGPU
import VitrineMath
import VitrineScene

/// The irradiance volume of the last scene on the GPU: a three-dimensional texture, in which the grid of each coefficient follows that of the one before
/// along the depth.
final class VolumeTexture {
    private let device: GPUDevice
    /// One texel, for scenes without a volume.
    private let none: GPUTextureView
    private var current: (volume: IrradianceVolume, view: GPUTextureView)?

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        none = try Self.texture(device, GPUExtent(1, 1, 1)).makeView()
    }

    /// Bytes of GPU memory.
    var memory: Int { (current?.volume.coefficients.count ?? 0) * 8 }

    /// The texture of a volume, uploaded if it is new.
    func view(of volume: IrradianceVolume?) throws(GPUError) -> GPUTextureView {
        guard let volume else { return none }
        if let current, current.volume === volume { return current.view }
        let texture = try Self.texture(
            device, GPUExtent(volume.counts.x, volume.counts.y, volume.counts.z * IrradianceVolume.coefficientCount))
        var halves: [UInt16] = []
        halves.reserveCapacity(volume.coefficients.count * 4)
        for index in 0..<IrradianceVolume.coefficientCount {
            for probe in 0..<volume.probeCount {
                let value = volume.coefficients[probe * IrradianceVolume.coefficientCount + index]
                for channel in 0..<4 { halves.append(halfFloat(value[channel])) }
            }
        }
        device.queue.write(halves, to: texture.copyInfo())
        let view = try texture.makeView()
        current = (volume, view)
        return view
    }

    /// Frees the texture, which the next frame uploads again if it needs it.
    func purge() { current = nil }

    private static func texture(_ device: GPUDevice, _ size: GPUExtent) throws(GPUError) -> GPUTexture {
        try device.makeTexture(
            GPUTextureDescriptor(
                "irradiance volume", size: size, format: .rgba16Float, usage: [.textureBinding, .copyDestination],
                dimension: .threeDimensional))
    }
}
