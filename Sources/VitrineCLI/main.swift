import Vitrine
import VitrineGPU

print(GPUInstance.implementation)
