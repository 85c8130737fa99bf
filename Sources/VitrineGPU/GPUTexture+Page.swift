internal import CWebGPU

#if arch(wasm32)
    extension GPUTexture {
        /// A texture that the page has made, such as the current one of a canvas.
        ///
        /// - Parameters:
        ///   - number: Its number in the table of the page's GPU objects, which this object owns from now on.
        ///   - descriptor: Describes how the page made it.
        package convenience init?(device: GPUDevice, number: UInt, descriptor: GPUTextureDescriptor) {
            guard let handle = OpaquePointer(bitPattern: number) else { return nil }
            self.init(device: device, handle: handle, descriptor: descriptor)
        }

        /// The number of this texture in the table of the page's GPU objects.
        package var number: UInt { UInt(bitPattern: handle) }
    }
#endif

extension GPUTexture {
    /// Fills the first mip level with an image that the platform has decoded.
    ///
    /// - Parameter image: Its number in the page's table of images, with the size of the texture. Only pages have such images.
    package func copyPlatformImage(_ image: UInt32) {
        #if arch(wasm32)
            vitrineTextureCopyImage(handle, image)
        #endif
    }
}
